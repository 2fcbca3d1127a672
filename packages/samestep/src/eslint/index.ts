export { configs, meta, plugin, rules } from './plugin.ts'
