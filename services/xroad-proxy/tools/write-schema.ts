/** Writes the JSON Schemas of proxy.yaml and of DSL files, for editors: run after a change in src/boot/*schema.ts. */
import { writeFileSync } from 'node:fs'
import { dslSchema } from '../src/boot/dsl/dsl-schema.ts'
import { configSchema } from '../src/boot/config/schema.ts'

const schemas = { 'proxy.schema.json': configSchema(), 'dsl.schema.json': dslSchema() }

for (const [file, schema] of Object.entries(schemas)) {
  writeFileSync(new URL(`../${file}`, import.meta.url), `${JSON.stringify(schema, null, 2)}\n`)
}
