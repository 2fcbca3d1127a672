import type { InputSlot } from '../ticks/input-layout.ts'

/** A slot of whole numbers that uses all of its bits. */
export function slotOf(bits: number, initial = 0, isOneShot = false): InputSlot {
  return { form: 'whole', max: 2 ** bits - 1, initial, isOneShot }
}
