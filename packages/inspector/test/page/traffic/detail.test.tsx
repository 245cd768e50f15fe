/** The selected exchange: its properties, its decisions, its messages. */
import { fireEvent, render, screen, within } from '@testing-library/preact'
import { describe, expect, it } from 'vitest'
import type { TrafficEntry } from '../../../page/traffic/entry.ts'
import { ExchangeDetail } from '../../../page/traffic/exchange-detail.tsx'
import { press, textOf, textsOf } from '../support/controls.ts'
import { AT, entry, fromClient, fromServer } from './entries.ts'

const open = (...entries: readonly TrafficEntry[]) =>
  render(<ExchangeDetail exchange={{ id: 'x', entries }} />)

/** The name and the value of each property. */
const properties = () =>
  Object.fromEntries(
    [...document.querySelectorAll('.properties > div')].map((each) => [
      textOf(each.querySelector('dt')),
      textOf(each.querySelector('dd')),
    ]),
  )

const head = () => textOf(document.querySelector('.message-head'))
const notices = () => [...document.querySelectorAll('.notice')]

describe('a message', () => {
  it.each<[unknown, string]>([
    [{ method: 'tools/list', id: 1 }, 'tools/list (id 1)'],
    [{ method: 'tools/call', id: 'a' }, 'tools/call (id "a")'],
    [{ method: 'ping', id: 0 }, 'ping (id 0)'],
    [{ method: 'notifications/initialized' }, 'notifications/initialized (notification)'],
    [[{ method: 'a' }, { method: 'b' }], 'batch of 2'],
    [{ id: 3, error: { code: -32600, message: 'no' } }, 'error (id 3)'],
    [{ error: { code: -32700, message: 'no' } }, 'error (id null)'],
    [{ id: 4, result: {} }, 'result (id 4)'],
    [{ id: 4, result: { resultType: 'complete' } }, 'result (id 4)'],
    [{ id: 4, result: { resultType: 'input_required' } }, 'result input_required (id 4)'],
    [{ id: 4, result: { resultType: 7 } }, 'result (id 4)'],
    [{ result: null }, 'result (id null)'],
    [null, 'result (id null)'],
    ['text', 'result (id null)'],
  ])('%j is described as %s', (message, text) => {
    open(fromClient(message))
    expect(textOf(document.querySelector('.message-head .code'))).toBe(text)
  })

  it.each([
    ['client', 'Client → server'],
    ['server', 'Server → client'],
  ] as const)('from the %s has the direction %s', (from, direction) => {
    open(entry('message', { from }))
    expect(screen.getByText(direction)).toBeTruthy()
  })

  it('says when it came, how long it is, and nothing else', () => {
    open(entry('opened'), entry('message', { at: AT + 1500, bytes: 2048 }))
    expect(head()).toBe('Client → servertools/list (id 1)+1.50 s2.0 KiB')
  })

  it('that came before the beginning came with it', () => {
    open(entry('opened'), entry('message', { at: AT - 5 }))
    expect(head()).toContain('+0 ms')
  })

  it.each([
    [{ cut: true }, 'cut'],
    [{ shape: true }, 'names and types alone'],
    [{ eventId: 'e7' }, 'event e7'],
  ])('with %j says so', (change, text) => {
    open(entry('message', change))
    expect(head()).toMatch(new RegExp(`320 B${text}$`))
  })

  it('shows its members', () => {
    open(fromClient({ method: 'tools/call', params: { name: 'echo' } }))
    expect(textOf(document.querySelector('.json > ul'))).toBe(
      '{2}method"tools/call"params{1}name"echo"',
    )
    expect(screen.getByRole('button', { name: 'Copy the message' })).toBeTruthy()
  })
})

describe('an exchange', () => {
  it('has the method and the target of its request as its title, and gets the focus', () => {
    open(entry('opened'), fromClient({ method: 'tools/call', params: { name: 'echo' }, id: 1 }))
    const heading = screen.getByRole('heading', { level: 2 })
    expect(textOf(heading)).toBe('tools/callecho')
    expect(document.activeElement).toBe(heading)
  })

  it('says what is known of it', () => {
    open(
      entry('opened', {
        session: 's1',
        subject: 'ana',
        at: new Date(2026, 0, 2, 3, 4, 5).getTime(),
      }),
      entry('closed', { durationMs: 1200, bytes: 1536, outcome: 'refused' }),
    )
    expect(properties()).toEqual({
      Time: '2 Jan 2026, 03:04:05',
      Request: 'POST /mcp',
      Revision: '2026-07-28',
      Era: 'modern',
      Client: 'example-client 2.4.1',
      Subject: 'ana',
      Session: 's1',
      Duration: '1.20 s',
      Response: '1.5 KiB',
      Outcome: 'refused',
    })
  })

  it('leaves out what is not known', () => {
    open(
      entry('opened', { client: null, revision: null, era: null }),
      entry('closed', { outcome: null }),
    )
    expect(Object.keys(properties())).toEqual(['Time', 'Request', 'Duration', 'Response'])
  })

  it('whose beginning is not stored has the time of its first entry', () => {
    open(entry('message', { at: new Date(2026, 0, 2, 3, 4, 5).getTime() }))
    expect(properties()).toEqual({ Time: '2 Jan 2026, 03:04:05' })
  })

  it.each([
    [[entry('opened')], 'No message yet.', 'open'],
    [[entry('opened'), entry('closed')], 'This exchange had no JSON-RPC message.', '200'],
  ])('without messages says so', (entries, text, status) => {
    open(...entries)
    expect(screen.getByText(text)).toBeTruthy()
    expect(textOf(document.querySelector('.detail-head .badge'))).toBe(status)
  })

  it('with messages does not say that there are none', () => {
    open(fromClient({}), fromServer({}))
    expect(screen.queryByText(/message yet|no JSON-RPC/)).toBeNull()
    expect(document.querySelectorAll('ol.messages > li')).toHaveLength(2)
  })

  it('shows its task and its event', () => {
    open(entry('task', { status: 'completed' }), entry('event'))
    expect(notices().map(textOf)).toEqual(['Task: completedexport k1', 'Event emittednote.changed'])
  })

  it.each([
    ['button', () => press('Close')],
    ['key Escape', () => fireEvent.keyDown(document.body, { key: 'Escape' })],
  ])('is closed by the %s', (_, act) => {
    location.hash = '#/traffic/x'
    open(entry('opened'))
    act()
    expect(location.hash).toBe('#/traffic')
  })

  it.each([
    ['another key', 'Enter', 'div'],
    ['Escape in a field', 'Escape', 'input'],
    ['Escape in a choice', 'Escape', 'select'],
    ['Escape in a text', 'Escape', 'textarea'],
  ])('stays open after %s', (_, key, tag) => {
    location.hash = '#/traffic/x'
    open(entry('opened'))
    const target = document.body.appendChild(document.createElement(tag))
    fireEvent.keyDown(target, { key })
    target.remove()
    expect(location.hash).toBe('#/traffic/x')
  })
})

describe('a decision', () => {
  it.each([
    ['refusal', 'Refusal header-mismatch HTTP 400', 'The header differs', 'bad'],
    ['leniency', 'Leniency accept-missing', 'Accept is missing', 'warn'],
    ['failure', 'Failure handler-failed HTTP 500', 'The handler threw', 'bad'],
  ] as const)('that is a %s says what happened', (kind, title, text, colour) => {
    open(entry('opened'), entry(kind))
    const [notice] = notices()
    expect(textOf(notice?.querySelector('.mark-title'))).toBe(title)
    expect(textOf(notice)).toContain(text)
    expect(notice?.className).toBe(`notice ${colour}`)
  })

  it('has a link to its clause, where its name is known', () => {
    open(entry('refusal'), entry('refusal', { name: 'of-another-release' }))
    const [known, unknown] = notices() as HTMLElement[]
    const link = within(known as HTMLElement).getByRole('link')
    expect(link.getAttribute('href')).toMatch(/^https:\/\/modelcontextprotocol\.io\//)
    expect(unknown?.querySelector('a')).toBeNull()
  })
})

describe('the timing of an exchange', () => {
  const rows = () =>
    [...document.querySelectorAll<HTMLElement>('.timing > li')].map((row) => {
      const bar = row.querySelector<HTMLElement>('.timing-bar')
      return [
        textOf(row.querySelector('.timing-name')),
        textOf(row.querySelector('.timing-text')),
        bar?.style.left,
        bar?.style.width,
        bar?.className,
      ]
    })

  it('has a bar for the whole, for each span, and a point for each message, by their beginnings', () => {
    open(
      entry('opened'),
      entry('span', { name: 'late', startedAt: AT + 50, durationMs: 50 }),
      entry('message', { at: AT + 25, from: 'server' }),
      entry('span', { name: 'early', startedAt: AT - 10, durationMs: 10 }),
      entry('closed', { durationMs: 100 }),
    )
    expect(rows()).toEqual([
      ['exchange', '100 ms', '0%', '100%', 'timing-bar whole'],
      ['early', '10 ms', '0%', '10%', 'timing-bar span'],
      ['message from the server', '+25 ms', '25%', '0%', 'timing-bar point'],
      ['late', '50 ms', '50%', '50%', 'timing-bar span'],
    ])
  })

  it('has no whole while the exchange is open, and ends with its last bar', () => {
    open(entry('opened'), entry('span', { startedAt: AT + 5, durationMs: 15 }))
    expect(rows()).toEqual([['handler', '15 ms', '25%', '75%', 'timing-bar span']])
  })

  it('is at least a millisecond long', () => {
    open(entry('opened'), entry('closed', { durationMs: 0.5 }))
    expect(rows()[0]?.slice(2, 4)).toEqual(['0%', '50%'])
    expect(textsOf('heading')).toContain('Timing')
  })
})
