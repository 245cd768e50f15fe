/** Bodies that take the most memory to parse, to validate and to answer, for `test/fixtures/memory`. */

export interface HostileBody {
  readonly name: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly status: number
}

/** The default of `limits.bodyBytes`, with room for the envelope. */
const BYTES = 4 * 1024 * 1024 - 1000
/** The default of `limits.jsonValues`, with room for the envelope. */
const VALUES = 99_900

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
}

/** As many items as fit, joined with commas. */
function fill(item: (index: number) => string, count = VALUES, bytes = BYTES): string {
  const items: string[] = []
  let size = 0
  for (let index = 0; index < count; index++) {
    const text = item(index)
    size += Buffer.byteLength(text) + 1
    if (size > bytes) break
    items.push(text)
  }
  return items.join(',')
}

function modern(
  name: string,
  method: string,
  params: string,
  status: number,
  target?: string,
): HostileBody {
  const meta = JSON.stringify(META)
  return {
    name,
    status,
    body: `{"jsonrpc":"2.0","id":1,"method":"${method}","params":{${params},"_meta":${meta}}}`,
    headers: {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(target === undefined ? undefined : { 'mcp-name': target }),
    },
  }
}

function call(name: string, tool: string, args: string, status = 200, more = ''): HostileBody {
  const params = `"name":"${tool}","arguments":${args}${more}`
  return modern(name, 'tools/call', params, status, tool)
}

const ignored = (name: string, value: string, status = 200) =>
  call(`${name} in an argument that the tool ignores`, 'echo', `{"text":"a","x":${value}}`, status)

const list = (name: string, tool: string, items: string) => call(name, tool, `{"list":[${items}]}`)

const one = () => '1'
const wide = (index: number) => String(index).padStart(35, 'x')

export const HOSTILE_BODIES: readonly HostileBody[] = [
  call('two million numbers', 'echo', `{"text":[${fill(one, 2_000_000)}]}`, 413),
  ignored('two million numbers', `[${fill(one, 2_000_000)}]`, 413),
  ignored('a million empty arrays', `[${fill(() => '[]', 1_000_000)}]`, 413),
  ignored('empty arrays', `[${fill(() => '[]', VALUES / 2)}]`),
  ignored('objects of different shapes', `[${fill((at) => `{"k${at}":0}`, VALUES / 2)}]`),
  ignored('nested arrays', `[${fill(() => '['.repeat(50) + ']'.repeat(50), 1900)}]`),
  ignored('strings', `[${fill((at) => `"${wide(at)}"`)}]`),
  ignored('strings of two bytes for each character', `[${fill((at) => `"é${wide(at)}"`)}]`),
  ignored('long keys', `{${fill((at) => `"${'k'.repeat(4000)}${at}":0`)}}`),
  ignored('many keys', `{${fill((at) => `"${wide(at)}":0`)}}`),
  ignored('keys that are numbers', `{${fill((at) => `"${at * 40_009}":0`)}}`),
  ignored('a repeated key', `{${fill(() => '"k":0')}}`, 400),
  call('4 MB of base64', 'echo', `{"text":"${'A'.repeat(BYTES)}"}`),
  call('4 MB of escapes', 'echo', `{"text":"${'\\u0001'.repeat(BYTES / 6)}"}`),
  call('4 MB of lone surrogates', 'echo', `{"text":"${'\\ud800'.repeat(BYTES / 6)}"}`),
  call('4 MB with one emoji', 'echo', `{"text":"😀${'A'.repeat(BYTES)}"}`),
  call(
    'huge _meta',
    'echo',
    '{"text":"a"}',
    200,
    `,"x":{${fill((at) => `"k${at}":[]`, VALUES / 3)}}`,
  ),
  list('wrong items for a list of zod', 'zod_items', fill(one)),
  list(
    'wrong objects for a list of zod',
    'zod_objects',
    fill(() => '{}', VALUES / 2),
  ),
  list('wrong items for a list of zod unions', 'zod_unions', fill(one)),
  list('wrong items below the size that is checked first', 'zod_unions', fill(one, 9_900)),
  call(
    'unknown members of a strict zod object',
    'zod_strict',
    `{${fill((at) => `"${wide(at)}":0`)}}`,
  ),
  call(
    'wrong members of a zod record',
    'zod_record',
    `{"list":{${fill((at) => `"${wide(at)}":0`)}}}`,
  ),
  list('wrong items for JSON Schema', 'json_items', fill(one)),
  call('unknown members for JSON Schema', 'json_members', `{${fill((at) => `"${wide(at)}":0`)}}`),
  list(
    'unique items',
    'json_unique',
    fill((at) => `{"${wide(at)}":0}`, VALUES / 2),
  ),
  call(
    'structured content',
    'structured',
    `{${fill((at) => `"${wide(at)}":0`, VALUES, BYTES / 2)}}`,
  ),
  call(
    'a wrong answer to a question',
    'ask',
    '{}',
    200,
    `,"inputResponses":{"choice":{"action":"accept","content":{"list":[${fill(one)}]}}}`,
  ),
  call(
    'answers to questions that were not asked',
    'ask',
    '{}',
    200,
    `,"inputResponses":{${fill((at) => `"k${at}":{"action":"accept"}`, VALUES / 3)}}`,
  ),
  modern(
    'arguments of a prompt',
    'prompts/get',
    `"name":"write","arguments":{"topic":"a",${fill((at) => `"${wide(at)}":""`)}}`,
    200,
    'write',
  ),
  modern(
    'arguments of a completion',
    'completion/complete',
    `"ref":{"type":"ref/prompt","name":"write"},"argument":{"name":"topic","value":"a"},"context":{"arguments":{${fill((at) => `"${wide(at)}":""`)}}}`,
    200,
  ),
  call('a result of 8 MB', 'big', '{"bytes":8388608}'),
  {
    name: 'a batch of 50 answers of 1 MB',
    body: `[${fill(bigCall, 50)}]`,
    headers: { 'mcp-protocol-version': '2025-03-26' },
    status: 200,
  },
]

function bigCall(id: number): string {
  const params = '{"name":"big","arguments":{"bytes":1000000}}'
  return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}`
}

/** Bodies of one session, which its object serves. */
export const HOSTILE_SESSION_BODIES: readonly Omit<HostileBody, 'headers'>[] = [
  ['wrong items for a list of zod unions', sessionCall('zod_unions', `{"list":[${fill(one)}]}`)],
  ['4 MB of base64', sessionCall('echo', `{"text":"${'A'.repeat(BYTES)}"}`)],
  ['many keys', sessionCall('echo', `{"text":"a",${fill((at) => `"${wide(at)}":0`)}}`)],
  ['a batch of 50 answers of 1 MB', `[${fill(bigCall, 50)}]`],
].map(([name = '', body = '']) => ({ name, body, status: 200 }))

function sessionCall(tool: string, args: string): string {
  const params = `{"name":"${tool}","arguments":${args}}`
  return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`
}
