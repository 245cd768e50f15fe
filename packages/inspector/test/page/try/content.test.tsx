/** The blocks of a result, also those of a server that means harm. */
import { render, screen } from '@testing-library/preact'
import { describe, expect, it, vi } from 'vitest'
import { ContentBlock } from '../../../page/try/content-block.tsx'
import { press, textOf } from '../support/controls.ts'

const HOSTILE = '<img src=x onerror="document.title=1">'
const PNG = 'iVBORw0KGgo='

const open = (block: Readonly<Record<string, unknown>>) =>
  textOf(render(<ContentBlock block={block} />).container)

const image = () => screen.queryByRole<HTMLImageElement>('img')

describe('a text of a result', () => {
  it('is shown as it is, and copied whole', async () => {
    const copied: string[] = []
    const write = vi.spyOn(navigator.clipboard, 'writeText')
    write.mockImplementation(async (text) => void copied.push(text))
    const long = `${HOSTILE}\u202E${'x'.repeat(200_000)}`
    expect(open({ type: 'text', text: long })).toMatch(
      /^<img src=x onerror="document\.title=1">\\u\{202E\}x+…Copy the text$/,
    )
    press('Copy the text')
    await screen.findByText(/Copied/)
    expect(copied).toEqual([long])
  })

  it('is not cut at 200,000 characters', () => {
    expect(open({ type: 'text', text: 'x'.repeat(200_000) })).toBe(
      `${'x'.repeat(200_000)}Copy the text`,
    )
  })
})

describe('an image of a result', () => {
  it.each(['png', 'jpeg', 'gif', 'webp', 'avif', 'svg+xml'])('of the type %s is shown', (kind) => {
    const text = open({ type: 'image', data: PNG, mimeType: `image/${kind}` })
    expect(image()?.getAttribute('src')).toBe(`data:image/${kind};base64,${PNG}`)
    expect(image()?.alt).toBe(`From the server (image/${kind})`)
    expect(text).toBe(`image/${kind}, 9 B`)
  })

  it.each([
    ['text/html', PNG],
    ['image/png;x', PNG],
    ['ximage/png', PNG],
    ['image/bmp', PNG],
    ['image/png', '" onerror="document.title=1'],
    ['image/png', 'ab===='],
    ['image/png', undefined],
  ])('of the type %s with the data %j is text where it cannot be shown', (mimeType, data) => {
    const text = open({ type: 'image', data, mimeType })
    const isShown = mimeType === 'image/png' && data === undefined
    expect(image() === null).toBe(!isShown)
    if (!isShown) expect(text).toContain(`${mimeType} `)
  })

  it('that is audio is not shown, and copied as base64', async () => {
    const copied: string[] = []
    const write = vi.spyOn(navigator.clipboard, 'writeText')
    write.mockImplementation(async (text) => void copied.push(text))
    expect(open({ type: 'audio', data: 'A'.repeat(2048), mimeType: 'audio/wav' })).toBe(
      'audio/wav 1.5 KiB Copy the data as base64',
    )
    expect(image()).toBeNull()
    press('Copy the data as base64')
    await screen.findByText(/Copied/)
    expect(copied).toEqual(['A'.repeat(2048)])
  })
})

describe('a resource of a result', () => {
  it.each([
    [{ uri: 'a://b', title: 'Title', name: 'name' }, 'Title a://b Read it'],
    [{ uri: 'a://b', name: HOSTILE }, `${HOSTILE} a://b Read it`],
    [{ uri: 'javascript:document.title=1' }, 'Resource javascript:document.title=1 Read it'],
  ])('that is linked is read in the page: %j', (link, text) => {
    expect(open({ type: 'resource_link', ...link })).toBe(text)
    expect(screen.getByRole('link', { name: 'Read it' }).getAttribute('href')).toBe(
      `#/try/resources/${encodeURIComponent(link.uri)}`,
    )
  })

  it.each([
    [{ uri: 'a://b', mimeType: 'text/plain', text: 'T' }, 'a://b text/plainTCopy the text'],
    [{ uri: 'a://b', text: 'T' }, 'a://b TCopy the text'],
    [
      { uri: 'a://b', mimeType: 'application/pdf', blob: PNG },
      'a://b application/pdfapplication/pdf 9 B Copy the data as base64',
    ],
    [{ uri: 'javascript:1', text: 7, blob: null }, 'javascript:1'],
    [null, 'undefined'],
    ['text', 'undefined'],
  ])('that is embedded is shown: %j', (resource, text) => {
    expect(open({ type: 'resource', resource })).toBe(text)
    expect(screen.queryByRole('link')).toBeNull()
  })

  it('that is an image is shown as one', () => {
    open({ type: 'resource', resource: { uri: 'a://b', mimeType: 'image/png', blob: PNG } })
    expect(image()).not.toBeNull()
  })
})

describe('another block', () => {
  it.each([
    [{ type: HOSTILE }, `Copy the content{1}type${JSON.stringify(HOSTILE)}`],
    [{ type: 'text', text: 7 }, 'Copy the content{2}type"text"text7'],
    [{}, 'Copy the content{}'],
  ])('is shown as JSON: %j', (block, text) => {
    expect(open(block)).toBe(text)
  })
})
