/** Writes the JSON Schema of sqlapi.yaml, for editors: run after a change in src/boot/config/schema.ts. */
import { writeFileSync } from 'node:fs'
import { configSchema } from '../src/boot/config/schema.ts'

writeFileSync(new URL('../sqlapi.schema.json', import.meta.url), `${JSON.stringify(configSchema(), null, 2)}\n`)
