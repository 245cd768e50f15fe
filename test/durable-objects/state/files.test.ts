import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it, vi } from 'vitest'
import { createFileStore } from '../../../durable-objects/files/file-store.ts'
import type { FileObject } from '../../../durable-objects/files/object-blobs.ts'
import type { FileBucket } from '../../../durable-objects/state/file-bucket.ts'
import { Files } from '../../../durable-objects/state/files.ts'
import { createStateStatements, MIGRATIONS } from '../../../durable-objects/state/schema.ts'
import type { StateObject } from '../../../durable-objects/state/state-object.ts'
import { Tables } from '../../../durable-objects/tables.ts'
import { DEFAULT_FILE_LIMITS } from '../../../src/ports/file-limits.ts'
import type { NewFile } from '../../../src/ports/files.ts'
import { bucket, streamOf } from '../../dispatch/files/storage.ts'
import { advanceClock } from '../../support/clock.ts'
import { objectsOfKind } from '../../support/objects.ts'

const MEBIBYTE = 1024 * 1024

const HOUR_MS = 60 * 60 * 1000

const FILE: NewFile = {
  id: 'a',
  name: 'a.bin',
  mimeType: 'application/octet-stream',
  lifetimeMs: 60_000,
  maxBytes: 64 * MEBIBYTE,
  maxFiles: 10,
  maxTotalBytes: 128 * MEBIBYTE,
}

const states = objectsOfKind<StateObject>('state')

function owned(place: 'bucket' | 'object' = 'bucket') {
  const owner = crypto.randomUUID()
  const store = createFileStore(
    states,
    place === 'bucket' ? bucket : undefined,
    DEFAULT_FILE_LIMITS,
  )
  return { owner, files: store.of(owner), object: states.named(owner) }
}

/** A store in the bucket whose calls of the object are changed. */
function storeOver(object: ReturnType<typeof owned>['object'], changes: Partial<FileObject>) {
  const calls: FileObject = {
    findFile: (...given) => object.findFile(...given),
    closeUpload: (...given) => object.closeUpload(...given),
    beginFile: (...given) => object.beginFile(...given),
    setUpload: (...given) => object.setUpload(...given),
    addChunk: (...given) => object.addChunk(...given),
    readChunk: (...given) => object.readChunk(...given),
    completeFile: (...given) => object.completeFile(...given),
    dropFile: (...given) => object.dropFile(...given),
    ...changes,
  }
  return createFileStore({ named: () => calls }, bucket, DEFAULT_FILE_LIMITS)
}

const rowsOf = (object: ReturnType<typeof owned>['object']) =>
  runInDurableObject(object, (_, { storage }) =>
    storage.sql
      .exec("SELECT name FROM sqlite_master WHERE name = 'files'")
      .toArray()
      .flatMap(() =>
        storage.sql.exec<{ blob: string; state: string }>('SELECT * FROM files').toArray(),
      ),
  )

const expireAll = (object: ReturnType<typeof owned>['object']) =>
  runInDurableObject(object, (_, { storage }) => {
    storage.sql.exec('UPDATE files SET expires_at = 1')
  })

const inBucket = async (blob: string) => (await bucket.head(`edgeway/${blob}`)) !== null

describe.each(['bucket', 'object'] as const)('a file in the %s that expires', (place) => {
  it('is deleted with its bytes and, as the last one, with the storage of its object', async () => {
    const { files, object } = owned(place)
    await files.store(FILE, new Uint8Array(3 * MEBIBYTE))
    const [row] = await rowsOf(object)
    expect(await inBucket(row?.blob ?? '')).toBe(place === 'bucket')
    await expireAll(object)
    expect(await files.find('a')).toBeUndefined()
    expect(await runDurableObjectAlarm(object)).toBe(true)
    expect(await rowsOf(object)).toEqual([])
    expect(await inBucket(row?.blob ?? '')).toBe(false)
    const tables = await runInDurableObject(object, (_, { storage }) =>
      storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'file_chunks'").toArray(),
    )
    expect(tables).toEqual([])
  })
})

describe('an attempt to store a file', () => {
  it('that ends before its bytes are complete leaves a row, whose alarm deletes them', async () => {
    const { files, object } = owned()
    const failing = streamOf(20 * MEBIBYTE).pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => controller.enqueue(chunk),
        flush: () => {
          throw new Error('The sender failed')
        },
      }),
    )
    await expect(files.store(FILE, failing)).rejects.toThrow('The sender failed')
    expect(await files.find('a')).toBeUndefined()
    const [row] = await rowsOf(object)
    expect(row?.state).toBe('storing')
    await vi.waitFor(async () => {
      expect(await runDurableObjectAlarm(object)).toBe(true)
      expect(await rowsOf(object)).toEqual([])
    })
  })

  it('whose process dies after the bytes are in the bucket is deleted by the alarm', async () => {
    const { owner, files, object } = owned()
    const { promise: died, resolve: die } = Promise.withResolvers<void>()
    // The process dies: nothing runs after the bytes are stored.
    const dying = storeOver(object, {
      completeFile: () => {
        die()
        return new Promise(() => undefined)
      },
      dropFile: async () => undefined,
    })
    void dying
      .of(owner)
      .store(FILE, new Uint8Array(10))
      .catch(() => undefined)
    await died
    const [row] = await rowsOf(object)
    expect(await inBucket(row?.blob ?? '')).toBe(true)
    expect(await files.find('a')).toBeUndefined()
    await expireAll(object)
    await runDurableObjectAlarm(object)
    expect(await inBucket(row?.blob ?? '')).toBe(false)
  })

  it('whose sender takes longer than an hour is refused, and none of its bytes are stored', async () => {
    const { files, object } = owned()
    const slow = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(10)),
      pull: (controller) => {
        advanceClock(HOUR_MS + 1)
        controller.close()
      },
    })
    await expect(files.store(FILE, slow)).rejects.toThrow('took too long')
    expect(await files.find('a')).toBeUndefined()
    const [row] = await rowsOf(object)
    expect([row?.state, await inBucket(row?.blob ?? '')]).toEqual(['storing', false])
  })

  it('wins against others of the same id when it completes first', async () => {
    const { files, object } = owned()
    const attempts = [1, 2, 3].map((size) => files.store(FILE, streamOf(size)))
    const outcomes = await Promise.all(attempts)
    expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(['existing', 'existing', 'stored'])
    const winner = outcomes.findIndex(({ kind }) => kind === 'stored') + 1
    const found = await files.find('a')
    expect(found?.size).toBe(winner)
    expect((await rowsOf(object)).filter(({ state }) => state === 'stored')).toHaveLength(1)
  })

  it('reads no more of its sender than the bytes that are left to the owner', async () => {
    const { files } = owned()
    const bounds = { ...FILE, maxTotalBytes: 1000 }
    expect(await files.store(bounds, new Uint8Array(600))).toMatchObject({ kind: 'stored' })
    let sent = 0
    const long = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          if (sent === 2000) return controller.close()
          sent += 100
          controller.enqueue(new Uint8Array(100))
        },
      },
      { highWaterMark: 0 },
    )
    expect(await files.store({ ...bounds, id: 'b' }, long)).toEqual({
      kind: 'no-space',
      limit: 1000,
    })
    expect(sent).toBe(500)
  })

  it('without a bucket is bounded to 256 MiB together with the other files of the owner', async () => {
    const { files, object } = owned('object')
    const bounds = { ...FILE, maxTotalBytes: 1024 * MEBIBYTE }
    await files.store(bounds, new Uint8Array(1))
    await runInDurableObject(object, (_, { storage }) => {
      storage.sql.exec('UPDATE files SET size = ?', 256 * MEBIBYTE - 10)
    })
    expect(await files.store({ ...bounds, id: 'b' }, new Uint8Array(11))).toEqual({
      kind: 'no-space',
      limit: 256 * MEBIBYTE,
    })
    expect(await files.store({ ...bounds, id: 'b' }, new Uint8Array(10))).toMatchObject({
      kind: 'stored',
    })
  })

  it('without a bucket is bounded to 32 MiB', async () => {
    const { files } = owned('object')
    const outcome = await files.store(FILE, streamOf(32 * MEBIBYTE + 1, MEBIBYTE))
    expect(outcome).toEqual({ kind: 'too-large', limit: 32 * MEBIBYTE })
  })
})

describe('a bucket that cannot be reached, or is no longer bound', () => {
  it('leaves the rows of expired files until it can', async () => {
    const { files, object } = owned()
    await files.store(FILE, new Uint8Array(10))
    await expireAll(object)
    const [row] = await rowsOf(object)
    const down: FileBucket = {
      ...({} as FileBucket),
      delete: () => Promise.reject(new Error('The bucket is down')),
    }
    const deletions = await runInDurableObject(object, async (_, { storage }) => {
      const rows = new Files(new Tables(storage, MIGRATIONS, createStateStatements))
      return [await rows.deleteExpired(down), await rows.deleteExpired(undefined)]
    })
    expect(deletions).toEqual([false, false])
    expect(await rowsOf(object)).toEqual([row])
    await runDurableObjectAlarm(object)
    expect(await rowsOf(object)).toEqual([])
    expect(await inBucket(row?.blob ?? '')).toBe(false)
  })
})
