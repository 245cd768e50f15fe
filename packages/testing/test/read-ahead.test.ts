import { expect, it } from 'vitest'
import { readAhead } from '../src/wire-message.ts'

const bytes = (...values: number[]) => new Uint8Array(values)

function openBody() {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  return { body: readable, writer: writable.getWriter() }
}

it('a body that is read ahead takes writes before it is read, and returns them in order', async () => {
  const { body, writer } = openBody()
  const ahead = readAhead(body)
  for (const value of [1, 2]) await writer.write(bytes(value))
  await writer.close()
  expect(new Uint8Array(await new Response(ahead).arrayBuffer())).toEqual(bytes(1, 2))
})

it('a body that breaks breaks its reader after what came before', async () => {
  const { body, writer } = openBody()
  const reader = readAhead(body).getReader()
  await writer.write(bytes(1))
  expect((await reader.read()).value).toEqual(bytes(1))
  await writer.abort(new Error('cut'))
  await expect(reader.read()).rejects.toThrow('cut')
})

it('a cancelled reader cancels the body', async () => {
  const { body, writer } = openBody()
  await readAhead(body).cancel(new Error('enough'))
  await expect(writer.write(bytes(1))).rejects.toThrow()
})

it('a body that breaks while its reader is cancelled leaves no unhandled rejection', async () => {
  const unhandled: unknown[] = []
  const listen = (event: PromiseRejectionEvent) => unhandled.push(event.reason)
  addEventListener('unhandledrejection', listen)
  for (let round = 0; round < 20; round++) {
    const { body, writer } = openBody()
    const reader = readAhead(body).getReader()
    reader.read().catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, 0))
    writer.abort('disconnected').catch(() => undefined)
    reader.cancel().catch(() => undefined)
  }
  await new Promise((resolve) => setTimeout(resolve, 10))
  removeEventListener('unhandledrejection', listen)
  expect(unhandled).toEqual([])
})
