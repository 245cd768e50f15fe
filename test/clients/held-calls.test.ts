/** The official clients and a tool that takes longer than one request: each waits by `get_result`, and compares no schema. */
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PROJECT_DIRECTORY } from '../../scripts/support/project.ts'
import { type Received, textOf } from '../scenarios/client.ts'
import { type LoggedServer, startLoggedServer } from '../support/node/fixture-server.ts'
import { connectClient, KINDS } from './connect-client.ts'

let server: LoggedServer

beforeAll(async () => {
  const configPath = join(PROJECT_DIRECTORY, 'test/fixtures/long-work/wrangler.toml')
  server = await startLoggedServer({ configPath, port: 0, vars: { HOLD_MS: '1500' } })
})
afterAll(() => server.stop())

const HANDLE = 'dev.edgeway/handle'

test.for(KINDS)('%s gets the result of a tool with an output schema', async (kind) => {
  const { client, call } = await connectClient(kind, { url: server.url })
  // The client compiles the output schemas of what it lists, and compares results with them.
  const { tools } = await client.listTools()
  expect(tools.map(({ name }: { readonly name: string }) => name)).toEqual(['report', 'get_result'])
  const progress: object[] = []
  const onprogress = (reported: object) => progress.push(reported)
  let result: Received = await call('report', { name: kind, seconds: 3 }, { onprogress })
  expect(result.isError).toBeFalsy()
  expect(textOf(result)).toContain(`handle: ${result._meta[HANDLE]}`)
  expect(result.structuredContent).toBeUndefined()
  while (result._meta?.[HANDLE] !== undefined) {
    result = await call('get_result', { handle: result._meta[HANDLE] }, { onprogress })
  }
  expect(progress.length).toBeGreaterThan(0)
  expect(result.structuredContent).toEqual({ seconds: 3 })
})
