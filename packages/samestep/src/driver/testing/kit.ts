export { bool, i16, oneOf, u8, u16, u32 } from '../../sim/schema/index.ts'
export { single } from '../../sim/state/single.ts'
export { table } from '../../sim/state/table.ts'
