/** Request states after a restart of the server, and on a server with other keys. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { accept } from '../support/accept.ts'
import { startFixtureServer } from '../support/node/fixture-server.ts'
import { callRound, connectAnswering, readCount, stateOf } from './answering-client.ts'

const CALL = { name: 'ask_count', arguments: { name: 'restart' } }
const ANSWERED = { ...CALL, inputResponses: { confirm: accept({ ok: true }) } }

async function createStateDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'edgeway-state-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

async function startServer(state: string) {
  const server = await startFixtureServer({ state })
  onTestFinished(() => server.stop())
  return server
}

test('a request state is accepted after the server was killed and restarted', async () => {
  const state = await createStateDirectory()
  const first = await startServer(state)
  const { client: asked } = await connectAnswering({}, { url: first.url })
  const requestState = await stateOf(asked, CALL)
  await asked.close()
  process.kill(first.pid, 'SIGKILL')
  await first.stop()

  const second = await startServer(state)
  const { client } = await connectAnswering({}, { url: second.url })
  expect(await callRound(client, { ...ANSWERED, requestState })).toMatchObject({
    structuredContent: { action: 'accept', ok: true },
  })
  expect(await readCount(client, 'restart-first')).toBe(1)
  expect(await readCount(client, 'restart-second')).toBe(1)
  await client.close()
})

test('a request state is refused by a server with other keys', async () => {
  const [one, other] = await Promise.all([
    startServer(await createStateDirectory()),
    startServer(await createStateDirectory()),
  ])
  const { client: asked } = await connectAnswering({}, { url: one.url })
  const requestState = await stateOf(asked, CALL)
  await asked.close()
  const { client } = await connectAnswering({}, { url: other.url })
  await expect(callRound(client, { ...ANSWERED, requestState })).rejects.toMatchObject({
    code: -32602,
    message: 'params.requestState is not valid for this request',
  })
  expect(await readCount(client, 'restart-second')).toBe(0)
  await client.close()
})
