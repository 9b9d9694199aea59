// Reads and writes the topics of a run from Node, see docs/peers.md.
//
//   node peer.mjs read  --bootstrap HOST:PORT --registry URL --topic NAME [--topic NAME] [--count N]
//   node peer.mjs write --bootstrap HOST:PORT --registry URL     (lines like those that `read` prints, on standard input)
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { randomUUID } from 'node:crypto';
import {
  AvroDeserializer,
  AvroSerializer,
  SchemaRegistryClient,
  SerdeType,
  SubjectNameStrategyType,
} from '@confluentinc/schemaregistry';
import kafkajs from 'kafkajs';
import lz4 from 'lz4js';
import { keyFromText, keyToText } from './keys.mjs';
import { exactTypes, fromJson, toJson, typeOf } from './values.mjs';

const { CompressionCodecs, CompressionTypes, Kafka, Partitioners, logLevel } = kafkajs;

// The topics of a run are compressed with lz4, which KafkaJS leaves to its users.
CompressionCodecs[CompressionTypes.LZ4] = () => ({
  compress: async (encoder) => Buffer.from(lz4.compress(encoder.buffer)),
  decompress: async (bytes) => Buffer.from(lz4.decompress(bytes)),
});

const { positionals, values: options } = parseArgs({
  allowPositionals: true,
  options: {
    bootstrap: { type: 'string' },
    registry: { type: 'string' },
    topic: { type: 'string', multiple: true, default: [] },
    count: { type: 'string', default: 'Infinity' },
  },
});
const command = { read, write }[positionals[0]];
if (!command || !options.bootstrap || !options.registry || (command === read && options.topic.length === 0)) {
  console.error('usage: peer.mjs read|write --bootstrap HOST:PORT --registry URL [--topic NAME]... [--count N]');
  process.exit(2);
}

const kafka = new Kafka({ clientId: 'p3o-peer', brokers: options.bootstrap.split(','), logLevel: logLevel.ERROR });
const registry = new SchemaRegistryClient({ baseURLs: [options.registry] });

/** Prints every committed record of the topics as a line of JSON, until Ctrl-C or `--count` records. */
async function read() {
  const consumer = kafka.consumer({ groupId: `p3o-peer-${randomUUID()}`, readUncommitted: false });
  await consumer.connect();
  await consumer.subscribe({ topics: options.topic, fromBeginning: true });
  let left = Number(options.count);
  await new Promise((done, failed) => {
    consumer.on(consumer.events.CRASH, ({ payload }) => failed(payload.error));
    const eachMessage = async (received) => {
      if (left <= 0) return;
      console.log(JSON.stringify(await decoded(received)));
      left -= 1;
      if (left <= 0) done();
    };
    // KafkaJS would try a record that it failed on again and again.
    consumer.run({ autoCommit: false, eachMessage: (received) => eachMessage(received).catch(failed) }).catch(failed);
  });
  await consumer.disconnect();
}

const deserializer = new AvroDeserializer(registry, SerdeType.VALUE, {
  subjectNameStrategyType: SubjectNameStrategyType.RECORD,
  ...exactTypes,
});

async function decoded({ topic, partition, message }) {
  const schemaId = message.value.readInt32BE(1);
  const { schema } = await registry.getBySubjectAndId('', schemaId);
  const record = typeOf(schema).name;
  return {
    topic,
    partition,
    offset: message.offset,
    key: keyToText(record, message.key),
    schemaId,
    record,
    value: toJson(await deserializer.deserialize(topic, message.value)),
  };
}

/** Publishes the records on standard input; prints the schema id of each. */
async function write() {
  const writers = new Map();
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  for await (const line of createInterface({ input: process.stdin })) {
    const { topic, partition, key, record, value } = JSON.parse(line);
    if (!writers.has(record)) writers.set(record, await writerOf(record));
    const { serializer, type } = writers.get(record);
    const bytes = await serializer.serialize(topic, fromJson(type, value));
    await producer.send({ topic, messages: [{ key: keyFromText(record, key), value: bytes, partition }] });
    console.log(JSON.stringify({ record, schemaId: bytes.readInt32BE(1) }));
  }
  await producer.disconnect();
}

/** Writes with the newest schema of the registry; registering that again must find it there. */
async function writerOf(record) {
  const newest = await registry.getLatestSchemaMetadata(record);
  const registered = await registry.register(record, { schemaType: 'AVRO', schema: newest.schema });
  if (registered !== newest.id) throw new Error(`${record}: id ${newest.id}, registered again as ${registered}`);
  const serializer = new AvroSerializer(registry, SerdeType.VALUE, {
    useLatestVersion: true,
    autoRegisterSchemas: false,
    subjectNameStrategy: () => record,
    ...exactTypes,
  });
  return { serializer, type: typeOf(newest.schema) };
}

try {
  await command();
  if (process.stdout.writableLength > 0) await once(process.stdout, 'drain');
  process.exit(0);
} catch (error) {
  console.error(error);
  process.exit(1);
}
