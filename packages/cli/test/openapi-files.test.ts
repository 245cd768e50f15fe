/** A description of several files: a library bundles them at build, as the guide says. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import $RefParser from '@apidevtools/json-schema-ref-parser'
import { afterAll, describe, expect, it } from 'vitest'
import { sealDefinition } from '../../../src/server/mcp-server.ts'
import { fromOpenAPI, prepareOpenAPI } from '../../openapi/src/index.ts'

const FILES = {
  'openapi.yaml': `
openapi: 3.1.0
info: { title: Pets, version: 1.0.0 }
servers: [{ url: https://pets.example }]
paths:
  /pets: { $ref: ./pets.yaml }
`,
  'pets.yaml': `
post:
  operationId: create_pet
  requestBody:
    required: true
    content: { application/json: { schema: { $ref: ./pet.json#/Pet } } }
`,
}

const PETS = {
  Pet: { type: 'object', properties: { name: { type: 'string' }, parent: { $ref: '#/Pet' } } },
}

const directory = mkdtempSync(join(tmpdir(), 'edgeway-openapi-'))
for (const [name, text] of Object.entries(FILES)) writeFileSync(join(directory, name), text)
writeFileSync(join(directory, 'pet.json'), JSON.stringify(PETS))

afterAll(() => rmSync(directory, { recursive: true, force: true }))

describe('a description of several files', () => {
  it('is served after a library has bundled it, also where its schemas are recursive', async () => {
    const document = await $RefParser.bundle(join(directory, 'openapi.yaml'))
    const { tools } = sealDefinition(fromOpenAPI(document as object))
    expect([...tools.keys()]).toEqual(['create_pet'])
    const schema = JSON.stringify(tools.get('create_pet')?.info.inputSchema)
    expect(schema).toContain('"parent":{"$ref":"#/$defs/')
  })

  it('is refused without the library, with what to do', () => {
    const paths = { '/pets': { $ref: './pets.yaml' } }
    const document = { openapi: '3.1.0', paths }
    expect(() => prepareOpenAPI(document)).toThrow(
      '/pets: the reference "./pets.yaml" does not point into this document; bundle the files of the description into one at build: npx @redocly/cli bundle openapi.yaml -o openapi.json (at #/paths/~1pets)',
    )
  })
})
