import { describe, expect, it, vi } from 'vitest'
import { readBoundedBody, readBoundedText } from '../../src/platform/bounded-body.ts'

/** A body of these chunks, which records whether it was cancelled. */
function bodyOf(...chunks: number[][]) {
  const cancel = vi.fn()
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = chunks.shift()
      if (chunk === undefined) controller.close()
      else controller.enqueue(new Uint8Array(chunk))
    },
    cancel,
  })
  return { body, cancel }
}

describe('readBoundedBody', () => {
  it('returns no bytes for a request without a body', async () => {
    expect(await readBoundedBody(null, 10)).toEqual(new Uint8Array())
  })

  it('joins the chunks of a body that is exactly as large as the limit', async () => {
    const { body, cancel } = bodyOf([1, 2], [], [3])
    expect(await readBoundedBody(body, 3)).toEqual(new Uint8Array([1, 2, 3]))
    expect(cancel).not.toHaveBeenCalled()
  })

  it('returns undefined and cancels a body that is one byte larger than the limit', async () => {
    const { body, cancel } = bodyOf([1, 2], [3], [4])
    expect(await readBoundedBody(body, 2)).toBeUndefined()
    await vi.waitFor(() => expect(cancel).toHaveBeenCalledOnce())
  })

  it('passes the rest of a body that is too large to discard and waits for it', async () => {
    const { body, cancel } = bodyOf([1, 2, 3], [4])
    const rest: unknown[] = []
    const discard = async (reader: ReadableStreamDefaultReader<Uint8Array>) => {
      rest.push((await reader.read()).value)
    }
    expect(await readBoundedBody(body, 2, discard)).toBeUndefined()
    expect(rest).toEqual([new Uint8Array([4])])
    expect(cancel).not.toHaveBeenCalled()
  })

  it('throws the error of a stream that fails', async () => {
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new Error('cut off')),
    })
    await expect(readBoundedBody(body, 10)).rejects.toThrow('cut off')
  })
})

describe('readBoundedText', () => {
  it('decodes UTF-8 across chunks and ignores a byte order mark', async () => {
    const { body } = bodyOf([0xef, 0xbb, 0xbf, 0xc3], [0xa9])
    expect(await readBoundedText(body, 5)).toBe('é')
  })

  it('returns undefined for a body that is larger than the limit', async () => {
    expect(await readBoundedText(bodyOf([0x61, 0x62]).body, 1)).toBeUndefined()
  })

  it('throws for bytes that are not UTF-8', async () => {
    await expect(readBoundedText(bodyOf([0xff]).body, 1)).rejects.toThrow(TypeError)
  })
})
