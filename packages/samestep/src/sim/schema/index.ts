export { BoolField, bool, OneOfField, oneOf } from './choice.ts'
export { MapField, map, SetField, set } from './collection.ts'
export type {
  AnyField,
  ColumnCodec,
  ColumnType,
  Field,
  FieldHistory,
  Fields,
  Json,
  RecordOf,
  RetiredField,
  ShownCell,
  ValueOf,
} from './field.ts'
export { FloatField, f32, f64 } from './float.ts'
export {
  fixedField,
  IntField,
  i8,
  i16,
  i32,
  makeFixedField,
  RefField,
  range,
  ref,
  seat,
  u8,
  u16,
  u32,
} from './int.ts'
export { decodeRecord, encodeRecord } from './record.ts'
export type { RefSource } from './sampling.ts'
export { BytesField, bytes, ListField, list, TextField, text } from './sequence.ts'
export { OptionalField, optional, StructField, struct } from './struct.ts'
