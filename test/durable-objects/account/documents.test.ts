/** Client documents in their shards. */
import { evictDurableObject, runDurableObjectAlarm } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { countsOf, openAccounts, rowsOf } from './account.ts'
import { advance, DAY_MS, MINUTE_MS, NOON, useFakeClock } from './grant-requests.ts'

useFakeClock()

const URL = 'https://client.example/client.json'
const DOCUMENT = {
  value: { client_id: URL, client_name: 'Bücher ✓', redirect_uris: ['https://client.example/cb'] },
  fetchedAt: NOON,
  freshUntil: NOON + 5 * MINUTE_MS,
}

function open() {
  const { accounts, objects } = openAccounts()
  const keys = Array.from({ length: 16 }, (_, shard) => String(shard))
  return { documents: accounts.documents, stubs: keys.map(objects.documents.named) }
}

describe('client documents', () => {
  it('survive an eviction of their shard', async () => {
    const { documents, stubs } = open()
    await documents.put(URL, DOCUMENT)
    for (const stub of stubs) {
      if ((await countsOf(stub)).documents === 1) await evictDurableObject(stub)
    }
    expect(await documents.get(URL)).toEqual(DOCUMENT)
    expect(await documents.get(`${URL}x`)).toBeUndefined()
  })

  it('are replaced by a newer version, until they are deleted', async () => {
    const { documents } = open()
    await documents.put(URL, DOCUMENT)
    const newer = { ...DOCUMENT, value: { client_id: URL }, fetchedAt: NOON + 1 }
    await documents.put(URL, newer)
    expect(await documents.get(URL)).toEqual(newer)
    await documents.delete(URL)
    await documents.delete(URL)
    expect(await documents.get(URL)).toBeUndefined()
  })

  it('expire a week after they were fetched, and the alarm deletes the storage', async () => {
    const { documents, stubs } = open()
    await documents.put(URL, DOCUMENT)
    advance(7 * DAY_MS - 1)
    expect(await documents.get(URL)).toEqual(DOCUMENT)
    advance(1)
    expect(await documents.get(URL)).toBeUndefined()
    advance(MINUTE_MS)
    for (const stub of stubs) await runDurableObjectAlarm(stub)
    for (const stub of stubs) expect(await rowsOf(stub)).toEqual({})
  })

  it('are read without creating tables', async () => {
    const { documents, stubs } = open()
    expect(await documents.get(URL)).toBeUndefined()
    await documents.delete(URL)
    for (const stub of stubs) expect(await rowsOf(stub)).toEqual({})
  })

  it('are limited to the newest five hundred per shard, and to 65,536 code units each', async () => {
    const { stubs } = open()
    const [stub] = stubs
    if (stub === undefined) throw new Error('No object')
    for (let at = 0; at < 502; at++) {
      await stub.put(`${URL}?${at}`, {
        value: '{}',
        fetchedAt: NOON + at,
        freshUntil: NOON,
      })
    }
    await stub.put(URL, { value: 'x'.repeat(70_000), fetchedAt: NOON, freshUntil: NOON })
    expect(await countsOf(stub)).toEqual({ documents: 500 })
    expect(await stub.get(`${URL}?1`)).toBeUndefined()
    expect(await stub.get(`${URL}?2`)).toMatchObject({ value: '{}' })
    expect(await stub.get(URL)).toBeUndefined()
  })
})
