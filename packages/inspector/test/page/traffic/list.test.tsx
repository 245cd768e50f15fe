/** The rows of exchanges: what a row says, and which row is which. */
import { act, fireEvent, render, screen } from '@testing-library/preact'
import { describe, expect, it, vi } from 'vitest'
import type { TrafficEntry } from '../../../page/traffic/entry.ts'
import { trafficLog } from '../../../page/traffic/traffic-log.ts'
import { TrafficView } from '../../../page/traffic/traffic-view.tsx'
import { CONFIG } from '../support/config.ts'
import { press, textOf } from '../support/controls.ts'
import { AT, entry, exchange, fromClient, fromServer, record } from './entries.ts'

const open = (selected?: string) => render(<TrafficView config={CONFIG} selected={selected} />)

const rows = () => [...document.querySelectorAll<HTMLElement>('a.row')]

const part = (name: string) => textOf(document.querySelector(`a.row ${name}`))

const badges = () =>
  [...document.querySelectorAll('a.row .badge')].map((badge) => [
    textOf(badge),
    badge.className.replace('badge ', ''),
  ])

const call = (params: object) => fromClient({ method: 'tools/call', id: 1, params })

describe('the title of a row', () => {
  it.each<[string, string | undefined, readonly TrafficEntry[]]>([
    ['tools/list', undefined, [fromClient({ method: 'tools/list', id: 1 })]],
    ['tools/call', 'echo', [call({ name: 'echo' })]],
    ['tools/call', 'a://b', [call({ uri: 'a://b' })]],
    ['tools/call', 't1', [call({ taskId: 't1' })]],
    ['tools/call', 'a://b', [call({ name: 7, uri: 'a://b' })]],
    ['tools/call', undefined, [call({ name: 7 })]],
    ['tools/call', undefined, [fromClient({ method: 'tools/call', params: null })]],
    ['ping', undefined, [fromClient([{ method: 'ping' }, { method: 'tools/list' }])]],
    ['response', undefined, [fromClient({ id: 1, result: {} })]],
    ['response', undefined, [fromClient({ method: 7 })]],
    ['POST /mcp', undefined, [entry('opened')]],
    ['POST /mcp', undefined, [entry('opened'), fromServer({ method: 'ping' })]],
    ['GET /health', undefined, [entry('opened', { http: 'GET', path: '/health' })]],
    ['Request', undefined, [entry('closed')]],
    ['first', undefined, [fromClient({ method: 'first' }), fromClient({ method: 'second' })]],
  ])('is %s, with the target %s', (title, target, entries) => {
    record(...entries)
    open()
    expect(part('.row-title')).toBe(title)
    expect(part('.row-target')).toBe(target)
  })
})

describe('the badges of a row', () => {
  const failed = fromServer({ id: 1, error: { code: 1, message: 'no' } })

  it.each<[string, readonly TrafficEntry[], readonly (readonly string[])[]]>([
    ['open', [entry('opened')], [['open', 'accent']]],
    ['good', [entry('closed', { status: 299 })], [['299', 'good']]],
    ['plain', [entry('closed', { status: 300 })], [['300', 'plain']]],
    ['plain', [entry('closed', { status: 399 })], [['399', 'plain']]],
    ['bad', [entry('closed', { status: 400 })], [['400', 'bad']]],
    [
      'those of decisions',
      [entry('refusal'), entry('leniency'), entry('failure')],
      [
        ['header-mismatch', 'bad'],
        ['accept-missing', 'warn'],
        ['handler-failed', 'bad'],
        ['open', 'accent'],
      ],
    ],
    [
      'an error',
      [failed, entry('closed')],
      [
        ['error', 'bad'],
        ['200', 'good'],
      ],
    ],
    [
      'the error of a tool',
      [fromServer({ result: { isError: true } }), entry('closed')],
      [
        ['error', 'bad'],
        ['200', 'good'],
      ],
    ],
    ['no error', [fromServer({ result: { isError: false } }), entry('closed')], [['200', 'good']]],
    ['no error of the client', [fromClient({ error: {} }), entry('closed')], [['200', 'good']]],
    [
      'a decision without the error it caused',
      [failed, entry('refusal'), entry('closed', { status: 400 })],
      [
        ['header-mismatch', 'bad'],
        ['400', 'bad'],
      ],
    ],
    [
      'the last status',
      [entry('closed', { status: 200 }), entry('closed', { status: 503 })],
      [['503', 'bad']],
    ],
  ])('are %s', (_, entries, expected) => {
    record(...entries)
    open()
    expect(badges()).toEqual(expected)
  })
})

describe('the last line of a row', () => {
  it.each<[string, readonly TrafficEntry[]]>([
    ['12:00:00.00012 ms2026-07-28example-client', [entry('opened'), entry('closed')]],
    ['12:00:00.0002026-07-28example-client', [entry('opened')]],
    [
      '12:00:00.000legacy',
      [entry('opened', { revision: null, era: 'legacy' as never, client: null })],
    ],
    ['12:00:00.000HTTP+SSE', [entry('opened', { revision: null, era: 'http-sse', client: null })]],
    ['12:00:00.000', [entry('opened', { revision: null, era: null, client: null })]],
    ['12:00:00.5002026-07-28', [entry('opened', { at: AT + 500, client: null }), entry('message')]],
    ['12:00:00.250', [entry('span', { at: AT + 250 })]],
  ])('is %s', (text, entries) => {
    record(...entries)
    open()
    expect(part('.row-meta')).toBe(text)
  })
})

describe('the list of traffic', () => {
  const three = () => {
    for (const id of ['a', 'b', 'c']) record(...exchange(id, entry('opened', { path: `/${id}` })))
  }
  const titles = () => rows().map((row) => textOf(row.querySelector('.row-title')))

  it('shows the newest exchange first, or last when the person follows at the end', () => {
    three()
    open()
    expect(titles()).toEqual(['POST /c', 'POST /b', 'POST /a'])
    const order = screen.getByRole('button', { name: 'Follow at the end' })
    expect(order.getAttribute('aria-pressed')).toBe('false')
    press('Follow at the end')
    expect(titles()).toEqual(['POST /a', 'POST /b', 'POST /c'])
    expect(order.getAttribute('aria-pressed')).toBe('true')
  })

  it('is one stop of the Tab key: the selected row, otherwise the first', () => {
    three()
    const { rerender } = open()
    expect(rows().map(({ tabIndex }) => tabIndex)).toEqual([0, -1, -1])
    rerender(<TrafficView config={CONFIG} selected="a" />)
    expect(rows().map(({ tabIndex }) => tabIndex)).toEqual([-1, -1, 0])
    expect(rows().map((row) => row.getAttribute('aria-current'))).toEqual([null, null, 'true'])
    rerender(<TrafficView config={CONFIG} selected="missing" />)
    expect(rows().map(({ tabIndex }) => tabIndex)).toEqual([0, -1, -1])
  })

  it('has links to its exchanges', () => {
    record(...exchange('a/b', entry('opened')))
    open()
    expect(rows()[0]?.getAttribute('href')).toBe('#/traffic/a%2Fb')
  })

  it('shows a later entry in the row of its exchange, by the order of numbers', () => {
    const [opened, first, second, closed] = [
      entry('opened'),
      fromClient({ method: 'first' }),
      fromClient({ method: 'second' }),
      entry('closed'),
    ]
    record(opened, closed, second)
    open()
    expect(part('.row-title')).toBe('second')
    act(() => record(first))
    expect(part('.row-title')).toBe('first')
    expect(rows()).toHaveLength(1)
  })

  it('shows the selected exchange beside it, and moves the focus back to its row', () => {
    three()
    const { rerender, container } = open()
    const split = () => container.querySelector('.split')?.getAttribute('data-detail')
    expect(screen.getByText('Select an exchange')).toBeTruthy()
    expect(split()).toBe('false')
    rerender(<TrafficView config={CONFIG} selected="b" />)
    expect(screen.getByRole('heading', { level: 2, name: 'POST /b' })).toBeTruthy()
    expect(split()).toBe('true')
    rerender(<TrafficView config={CONFIG} selected={undefined} />)
    expect(document.activeElement?.id).toBe('exchange-b')
  })

  it('says that a selected exchange is not stored any more', () => {
    three()
    open('missing')
    expect(screen.getByText('This exchange is not stored any more')).toBeTruthy()
  })

  it('says what to do where there is no traffic', () => {
    trafficLog.set({ ...trafficLog.value, stream: 'live' })
    open()
    expect(screen.getByText('No traffic yet')).toBeTruthy()
    expect(screen.getByText('/mcp')).toBeTruthy()
    expect(screen.getByRole('link', { name: 'Try it' }).getAttribute('href')).toBe('#/try')
    act(() => trafficLog.set({ ...trafficLog.value, stream: 'connecting' }))
    expect(screen.getByText('Connecting…')).toBeTruthy()
  })

  it('keeps the last 2,000 exchanges', () => {
    const many = Array.from({ length: 2001 }, (_, index) =>
      entry('span', { exchange: `n${index}` }),
    )
    record(...many)
    const { exchanges } = trafficLog.value
    expect([exchanges.length, exchanges[0]?.id]).toEqual([2000, 'n1'])
  })

  it.each([
    [420, 1000],
    [499, 1000],
    [0, 0],
    [419, 419],
  ])('at the scroll position %i is at %i after another exchange', (position, expected) => {
    three()
    open()
    press('Follow at the end')
    const box = document.querySelector('.list-pane .scroll') as HTMLElement
    const height = vi.spyOn(box, 'scrollHeight', 'get').mockReturnValue(1000)
    vi.spyOn(box, 'clientHeight', 'get').mockReturnValue(501)
    box.scrollTop = position
    fireEvent.scroll(box)
    act(() => record(...exchange('d', entry('opened'))))
    expect(box.scrollTop).toBe(expected)
    expect(height).toHaveBeenCalled()
  })

  it('stays where it is while the newest exchange is the first', () => {
    three()
    open()
    const box = document.querySelector('.list-pane .scroll') as HTMLElement
    vi.spyOn(box, 'scrollHeight', 'get').mockReturnValue(1000)
    act(() => record(...exchange('d', entry('opened'))))
    expect(box.scrollTop).toBe(0)
  })
})
