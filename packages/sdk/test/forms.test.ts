/** Forms of `elicitInput` in JSON Schema: what the client answers is checked by it. */
import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { openApp } from '../../../test/support/test-app.ts'
import { create } from './sdk-app.ts'

const CAPABILITIES = {
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
}

const PERSON = {
  type: 'object' as const,
  properties: {
    name: { type: 'string' as const, minLength: 2, maxLength: 5 },
    email: { type: 'string' as const, format: 'email' as const },
    site: { type: 'string' as const, format: 'uri' as const },
    born: { type: 'string' as const, format: 'date' as const },
    age: { type: 'integer' as const, minimum: 18, maximum: 120 },
    size: { type: 'string' as const, enum: ['S', 'M'] },
    colours: {
      type: 'array' as const,
      minItems: 1,
      items: { type: 'string' as const, enum: ['red', 'blue'] },
    },
  },
  required: ['name'],
}

/** Calls a tool that shows the form, and answers it. Returns the body of the second round. */
async function answered(content: object, requestedSchema: object = PERSON) {
  const server = create()
  server.tool('ask', async ({ mcpReq }) => {
    const { action, content: given } = await mcpReq.elicitInput({
      message: 'Who?',
      requestedSchema: requestedSchema as typeof PERSON,
    })
    return { content: [{ type: 'text', text: JSON.stringify([action, given]) }] }
  })
  const app = openApp(server, {}, env)
  const params = { name: 'ask', arguments: {} }
  const { body } = await app.modern('tools/call', params, { meta: CAPABILITIES })
  const { inputRequests, requestState } = body.result
  const [[key, request]] = Object.entries(inputRequests) as [[string, { params: object }]]
  expect(request.params).toMatchObject({ message: 'Who?', requestedSchema })
  const inputResponses = { [key]: { action: 'accept', content } }
  const second = { ...params, inputResponses, requestState }
  return (await app.modern('tools/call', second, { meta: CAPABILITIES })).body
}

describe('a form of a moved handler', () => {
  it.each([
    { name: 'Ada' },
    { name: 'Ada', email: 'ada@example.com', site: 'https://example.com', born: '1815-12-10' },
    { name: 'Ada', age: 36, size: 'M', colours: ['red', 'blue'] },
  ])('returns the answer %j', async (content) => {
    const { result } = await answered(content)
    expect(JSON.parse(result.content[0].text)).toEqual(['accept', content])
  })

  it.each([
    [{}, 'must have name'],
    [{ name: 'A' }, 'name: is too short'],
    [{ name: 'Augusta' }, 'name: is too long'],
    [{ name: 7 }, 'name: must have the type string'],
    [{ name: 'Ada', email: 'ada' }, 'email: must have the format'],
    [{ name: 'Ada', site: 'example' }, 'site: must have the format'],
    [{ name: 'Ada', born: '1815-02-30' }, 'born: must have the format'],
    [{ name: 'Ada', age: 12 }, 'age: is out of range'],
    [{ name: 'Ada', age: 36.5 }, 'age: must have the type integer'],
    [{ name: 'Ada', size: 'L' }, 'size: must be one of the choices'],
    [{ name: 'Ada', colours: [] }, 'colours: has a wrong length'],
    [{ name: 'Ada', colours: ['green'] }, 'colours.0: must be one of the choices'],
  ])('refuses the answer %j', async (content, fault) => {
    const body = await answered(content)
    expect(JSON.stringify(body)).toContain(fault)
    expect(body.result?.content?.[0]?.text ?? '').not.toMatch(/^\["accept"/)
  })
})
