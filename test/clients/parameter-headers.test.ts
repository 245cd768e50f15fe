/** Arguments that the client mirrors into `Mcp-Param-*` headers, and the server compares. */
import { expect, test } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { openClient } from './v2-client.ts'

/** A `fetch` that records the `Mcp-Param-*` headers of every tool call. */
function recordParamHeaders() {
  const calls: Record<string, string>[] = []
  const record: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers)
    if (String(init?.body).includes('"method":"tools/call"')) {
      const own = [...headers].filter(([name]) => name.startsWith('mcp-param-'))
      calls.push(Object.fromEntries(own))
    }
    return fetch(input, init)
  }
  return { calls, fetch: record }
}

const CASES = [
  {
    title: 'arguments of every type, one of them nested',
    args: { region: 'eu-west', level: 3, dry: false, target: { zone: 'a' } },
    headers: {
      'mcp-param-dry': 'false',
      'mcp-param-level': '3',
      'mcp-param-region': 'eu-west',
      'mcp-param-zone': 'a',
    },
  },
  {
    title: 'text outside ASCII and with spaces around it',
    args: { region: 'Ünï', target: { zone: ' a ' } },
    headers: { 'mcp-param-region': '=?base64?w5xuw68=?=', 'mcp-param-zone': '=?base64?IGEg?=' },
  },
  {
    title: 'a value that looks like an encoded one',
    args: { region: '=?base64?SGVsbG8=?=' },
    headers: { 'mcp-param-region': '=?base64?PT9iYXNlNjQ/U0dWc2JHOD0/PQ==?=' },
  },
  { title: 'no header for a call without arguments', args: {}, headers: {} },
]

test.each(CASES)('a modern client mirrors $title', async ({ args, headers }) => {
  verifies('request-headers/param-headers-are-supported', 'request-headers/param-headers-are-sent')
  verifies('request-headers/param-values-are-encoded', 'request-headers/unsafe-values-are-base64')
  verifies('request-headers/ambiguous-values-are-encoded')
  const { calls, fetch: record } = recordParamHeaders()
  const client = await openClient('v2, modern', { fetch: record })
  await client.listTools()
  const result = await client.callTool({ name: 'mirrored', arguments: args })
  expect(result.structuredContent).toEqual(args)
  expect(calls).toEqual([headers])
})

test('a modern client that has not listed the tools is refused and repeats the call with headers', async () => {
  const { calls, fetch: record } = recordParamHeaders()
  const client = await openClient('v2, modern', { fetch: record })
  const args = { region: 'eu-west' }
  const result = await client.callTool({ name: 'mirrored', arguments: args })
  expect(result.structuredContent).toEqual(args)
  expect(calls).toEqual([{}, { 'mcp-param-region': 'eu-west' }])
})

test('a client of the session era sends no parameter headers and is served', async () => {
  const { calls, fetch: record } = recordParamHeaders()
  const client = await openClient('v2', { fetch: record })
  await client.listTools()
  const args = { region: 'Ünï', level: 3 }
  const result = await client.callTool({ name: 'mirrored', arguments: args })
  expect(result.structuredContent).toEqual(args)
  expect(calls).toEqual([{}])
})
