// Avro values in JavaScript without loss, and as JSON that everything can read. The JSON follows Protobuf's mapping: 64-bit
// integers are strings, bytes are base64, and the numbers JSON lacks are "NaN", "Infinity", "-Infinity" and "-0".
import avro from 'avsc';

/** Avro longs as BigInt: a number is exact up to 2^53 only, and avsc refuses longer ones. */
const bigintLong = avro.types.LongType.__with({
  fromBuffer: (buffer) => buffer.readBigInt64LE(),
  toBuffer: (value) => {
    const buffer = Buffer.alloc(8);
    buffer.writeBigInt64LE(value);
    return buffer;
  },
  fromJSON: BigInt,
  toJSON: String,
  isValid: (value) => typeof value === 'bigint' && BigInt.asIntN(64, value) === value,
  compare: (one, other) => (one < other ? -1 : one > other ? 1 : 0),
});

/** Options for avsc, and so for Confluent's serializers. To be copied: avsc keeps the names it has seen in its options. */
export const exactTypes = Object.freeze({
  typeHook: (schema) => (schema === 'long' || schema?.type === 'long' ? bigintLong : undefined),
});

export const typeOf = (schemaText) => avro.Type.forSchema(JSON.parse(schemaText), { ...exactTypes });

/** A decoded value as JSON. */
export function toJson(value) {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') return plainNumber(value);
  if (Buffer.isBuffer(value)) return value.toString('base64');
  if (Array.isArray(value)) return value.map(toJson);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toJson(inner)]));
}

function plainNumber(value) {
  if (Object.is(value, -0)) return '-0';
  return Number.isFinite(value) ? value : String(value);
}

/** The inverse of toJson: a value that avsc can write as `type`. */
export function fromJson(type, json) {
  switch (type.typeName) {
    case 'abstract:long':
      return BigInt(json);
    case 'float':
    case 'double':
      return Number(json);
    case 'bytes':
      return Buffer.from(json, 'base64');
    case 'array':
      return json.map((item) => fromJson(type.itemsType, item));
    case 'map':
      return Object.fromEntries(Object.entries(json).map(([key, inner]) => [key, fromJson(type.valuesType, inner)]));
    case 'record':
      return Object.fromEntries(type.fields.map((field) => [field.name, fromJson(field.type, json[field.name])]));
    case 'union:unwrapped': // null or one other type
      return json === null ? null : fromJson(type.types.find((branch) => branch.typeName !== 'null'), json);
    default:
      return json;
  }
}
