/** A server process that is killed and restarted. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { type FixtureServer, startFixtureServer } from '../support/node/fixture-server.ts'
import { callForValue, framed, modernCall, readCount } from './calls.ts'
import { Connection } from './connection.ts'

async function stateDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'edgeway-faults-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

async function start(options: { port?: number; state?: string } = {}): Promise<FixtureServer> {
  const server = await startFixtureServer(options)
  onTestFinished(() => server.stop())
  return server
}

async function kill(server: FixtureServer): Promise<void> {
  process.kill(server.pid, 'SIGKILL')
  await server.stop()
}

function count(url: string, name: string): Promise<number> {
  return callForValue(url, 'count', { name })
}

it('a restarted server has every count that it acknowledged before a kill', async () => {
  const state = await stateDirectory()
  const first = await start({ state })
  const acknowledged: number[] = []
  let sent = 0
  const caller = async () => {
    for (;;) {
      sent++
      const value = await count(first.url, 'acknowledged').catch(() => undefined)
      if (value === undefined) return
      acknowledged.push(value)
      if (acknowledged.length === 100) process.kill(first.pid, 'SIGKILL')
    }
  }
  await Promise.all(Array.from({ length: 10 }, caller))
  await first.stop()

  const second = await start({ state })
  const stored = await readCount(second.url, 'acknowledged')
  expect(new Set(acknowledged).size).toBe(acknowledged.length)
  expect(stored).toBeGreaterThanOrEqual(Math.max(...acknowledged))
  expect(stored).toBeLessThanOrEqual(sent)
  expect(await count(second.url, 'acknowledged')).toBe(stored + 1)
})

it('a restarted server serves on the same port, and streams of the killed one end', async () => {
  const state = await stateDirectory()
  const first = await start({ state })
  expect(await count(first.url, 'port')).toBe(1)
  const streaming = await Connection.open(first.url)
  onTestFinished(() => streaming.close())
  await streaming.write(framed(modernCall('slow', { ms: 60_000 })))
  await streaming.readUntil(': open')
  await kill(first)
  // The beginning of the stream arrived, and no answer.
  expect(await streaming.rest()).not.toContain('data:')

  const second = await start({ state, port: Number(new URL(first.url).port) })
  expect(second.url).toBe(first.url)
  expect(await count(second.url, 'port')).toBe(2)
})
