import { readdir, readFile } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { protocolSchemaFiles } from '../../scripts/generate-protocol-schemas.ts';

const DOCS = new URL('../../docs/', import.meta.url);

test('the published schemas are those of the contract', async () => {
  const folder = new URL('device-protocol/', DOCS);
  const generated = protocolSchemaFiles();
  expect(await readdir(folder).then((names) => names.sort())).toEqual([...generated.keys()].sort());
  for (const [name, text] of generated) {
    // By value: a formatter may lay the file out differently.
    expect(JSON.parse(await readFile(new URL(name, folder), 'utf8'))).toEqual(JSON.parse(text));
  }
});

test('every example of the document fits its schema, and every linked schema exists', async () => {
  const text = await readFile(new URL('device-protocol.md', DOCS), 'utf8');
  const schemas = protocolSchemaFiles();
  const linked = [...text.matchAll(/\(device-protocol\/([a-z-]+\.schema\.json)\)/g)].map(
    (match) => match[1] ?? '',
  );
  expect(linked.filter((name) => !schemas.has(name))).toEqual([]);

  const ajv = new Ajv2020({ strict: false });
  const exampleSchemas = [
    'device-state',
    'shadow-desired',
    'shadow-desired',
    'shadow-reported',
    'mqtt-heartbeat',
    'device-config',
    'device-schedule',
    'heartbeat-answer',
    'boot-hello',
    'ota-desired',
    'ota-progress',
  ];
  const examples = [...text.matchAll(/```json\n(.+?)\n```/gs)].map((match) => JSON.parse(match[1] ?? ''));
  expect(examples).toHaveLength(exampleSchemas.length);
  for (const [index, name] of exampleSchemas.entries()) {
    const validate = ajv.compile(JSON.parse(schemas.get(`${name}.schema.json`) ?? '{}'));
    expect({ name, errors: validate(examples[index]) ? [] : validate.errors }).toEqual({ name, errors: [] });
  }
});
