/** The server process killed in the middle of things and started again, and two of them side by side. */
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

it('keeps every count that was acknowledged before a kill, in the middle of counting', async () => {
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
  const kept = await readCount(second.url, 'acknowledged')
  expect(new Set(acknowledged).size).toBe(acknowledged.length)
  expect(kept).toBeGreaterThanOrEqual(Math.max(...acknowledged))
  expect(kept).toBeLessThanOrEqual(sent)
  expect(await count(second.url, 'acknowledged')).toBe(kept + 1)
})

it('serves on the same port after a kill, and cut-off streams end', async () => {
  const state = await stateDirectory()
  const first = await start({ state })
  expect(await count(first.url, 'port')).toBe(1)
  const streaming = await Connection.open(first.url)
  onTestFinished(() => streaming.close())
  await streaming.write(framed(modernCall('slow', { ms: 60_000 })))
  await streaming.readUntil(': open')
  await kill(first)
  // What came was the beginning of a stream; no answer is made up.
  expect(await streaming.rest()).not.toContain('data:')

  const second = await start({ state, port: Number(new URL(first.url).port) })
  expect(second.url).toBe(first.url)
  expect(await count(second.url, 'port')).toBe(2)
})

it('survives ten kills in a row without losing or inventing a count', async () => {
  const state = await stateDirectory()
  for (let value = 1; value <= 10; value++) {
    const server = await start({ state })
    expect(await count(server.url, 'ten')).toBe(value)
    await kill(server)
  }
})

it('two servers share nothing', async () => {
  const one = await start({ state: await stateDirectory() })
  const other = await start({ state: await stateDirectory() })
  expect(one.url).not.toBe(other.url)
  expect(await count(one.url, 'shared')).toBe(1)
  expect(await count(one.url, 'shared')).toBe(2)
  expect(await count(other.url, 'shared')).toBe(1)
  await kill(one)
  expect(await count(other.url, 'shared')).toBe(2)
  await expect(fetch(one.url)).rejects.toThrow()
})
