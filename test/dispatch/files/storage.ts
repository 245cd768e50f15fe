/** Where the files of a test are stored, and requests for their URLs. */
import { env } from 'cloudflare:workers'
import type { StoredFile } from '../../../src/features/files/index.ts'
import { run } from '../../durable-objects/state/run.ts'
import { TaskClient } from '../../durable-objects/task/task-client.ts'
import type { FullContext } from '../../support/full-server.ts'
import { taskServer } from '../../support/task-server.ts'
import { openApp, type TestApp } from '../../support/test-app.ts'

export interface Bucket extends R2Bucket {}

export const bucket = (env as unknown as { readonly MCP_FILES: Bucket }).MCP_FILES

const OPTIONS = {
  limits: { streamAfterMs: 2000 },
  featureLimits: { files: { bytes: 40_000_000 } },
}

const apps: Readonly<Record<'bucket' | 'object', TestApp>> = {
  bucket: openApp(taskServer, OPTIONS, env),
  object: openApp(taskServer, OPTIONS, { ...env, MCP_FILES: undefined }),
}

export type Place = keyof typeof apps

export const PLACES: readonly Place[] = ['bucket', 'object']

export const clientOf = (place: Place) => new TaskClient(apps[place])

export const appOf = (place: Place) => apps[place]

/** Stores a file in a call of its own. */
export async function storeFile(
  place: Place,
  name: string,
  data: Parameters<FullContext['file']>[1],
  options?: Parameters<FullContext['file']>[2],
): Promise<StoredFile> {
  return run((ctx) => ctx.file(name, data, options), clientOf(place))
}

export const get = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
  apps.bucket.fetch(new Request(url, { method, headers }))

/** A stream of `size` bytes, in chunks of `chunk`, that repeat 0 to 250. */
export function streamOf(size: number, chunk = 65_536): ReadableStream<Uint8Array> {
  let position = 0
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const length = Math.min(chunk, size - position)
        if (length > 0) controller.enqueue(pattern(position, length))
        position += length
        if (position >= size) controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}

export function pattern(start: number, length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => (start + index) % 251)
}
