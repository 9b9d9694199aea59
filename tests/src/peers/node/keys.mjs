// Keys of the topics: a number as eight bytes, big-endian, or a name as UTF-8.

const NAMED = new Set(['MetricPoint', 'DeadLetter']);

const isNamed = (recordName) => NAMED.has(recordName.split('.').at(-1));

export function keyToText(recordName, bytes) {
  return isNamed(recordName) ? bytes.toString('utf8') : bytes.readBigInt64BE().toString();
}

export function keyFromText(recordName, text) {
  if (isNamed(recordName)) return Buffer.from(text, 'utf8');
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(text));
  return bytes;
}
