export { VirtualTiming as TestTiming } from '../virtual-timing.ts'
