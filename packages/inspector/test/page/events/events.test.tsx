/** The tab of events. */
import { act, render, screen, within } from '@testing-library/preact'
import { describe, expect, it } from 'vitest'
import { EventsView } from '../../../page/events/events-view.tsx'
import type { EntryOf } from '../../../page/traffic/entry.ts'
import { trafficLog } from '../../../page/traffic/traffic-log.ts'
import { CONFIG } from '../support/config.ts'
import { press, textOf, type } from '../support/controls.ts'
import { playServer } from '../support/played-server.ts'
import { AT, entry } from '../traffic/entries.ts'

const PATH = '/inspect/events.json'

const TYPE = {
  name: 'note.changed',
  description: 'A note has changed.',
  delivery: ['poll', 'webhook'],
  inputSchema: { type: 'object', properties: { topic: { type: 'string' } } },
  payloadSchema: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
}

interface Opened {
  readonly value?: object | number
  readonly config?: Partial<typeof CONFIG>
  readonly emit?: object | number | ((request: Request) => unknown)
}

function open({ value = { types: [TYPE], subscriptions: [] }, config, emit = 404 }: Opened = {}) {
  const answers = { [PATH]: value, '/inspect/emit': emit }
  const recorded = playServer({ answers })
  render(<EventsView config={{ ...CONFIG, ...config }} />)
  return { ...recorded, answers }
}

const event = (change: Partial<EntryOf<'event'>>) =>
  entry('event', { what: 'delivery', outcome: 'delivered', at: AT, ...change })

function record(...events: readonly EntryOf<'event'>[]): void {
  trafficLog.set({ ...trafficLog.value, events })
}

const rows = () =>
  within(screen.getByRole('list', { name: 'What happened' })).getAllByRole('listitem')

describe('an event type', () => {
  it('has its description, its ways of delivery and its schemas', async () => {
    open()
    const heading = await screen.findByRole('heading', { level: 3, name: 'note.changed' })
    const card = heading.closest('article') as HTMLElement
    expect(within(card).getByText('A note has changed.')).toBeTruthy()
    const ways = within(card).getByRole('list', { name: 'Ways of delivery' })
    expect(within(ways).getAllByRole('listitem').map(textOf)).toEqual(['poll', 'webhook'])
    const trees = [...card.querySelectorAll('.json > ul')].map(textOf)
    expect(trees[0]).toBe('{2}type"object"properties{1}topic{1}')
    expect(trees[1]).toBe('{3}type"object"required[1]0"id"properties{1}id{1}')
  })

  it('is none on a server without them', async () => {
    open({ value: { types: [], subscriptions: [] } })
    expect(screen.getByText('Loading…')).toBeTruthy()
    expect(await screen.findByText('This server has no event types')).toBeTruthy()
    expect(screen.queryByText('Loading…')).toBeNull()
  })

  it('cannot be emitted by hand in production', async () => {
    open({ config: { development: false } })
    await screen.findByText('Schemas')
    expect(screen.queryByText('Emit one')).toBeNull()
  })
})

describe('one event by hand', () => {
  async function emit(answer: Opened['emit'], subject = '') {
    const bodies: unknown[] = []
    open({
      emit: async (request: Request) => {
        bodies.push(await request.json(), request.method, request.headers.get('content-type'))
        return typeof answer === 'function' ? answer(request) : answer
      },
    })
    await screen.findByText('Emit one')
    type(/^Subject whom/, subject)
    type(/^id/, '7')
    press('Emit')
    return bodies
  }

  it.each([
    ['', {}],
    [' ana ', { subject: 'ana' }],
  ])('for the subject %j is sent, and its id is shown', async (subject, expected) => {
    const bodies = await emit({ eventId: 'evt_1' }, subject)
    expect(textOf(await screen.findByRole('status'))).toBe('')
    await screen.findByText('Stored')
    expect(textOf(screen.getByRole('status'))).toBe('Storedevt_1')
    const body = { type: 'note.changed', data: { id: '7' }, ...expected }
    expect(bodies).toEqual([body, 'POST', 'application/json'])
  })

  it.each<[string, Opened['emit']]>([
    ['The data are not valid', { error: 'The data are not valid' }],
    ['The server answered 200.', {}],
    ['The server answered 200.', { eventId: 7, error: 8 }],
    ['The server does not answer. Check that it is running.', 503],
    ['The server does not answer. Check that it is running.', () => new TypeError('failed')],
  ])('that is not stored says why: %s', async (text, answer) => {
    await emit(answer)
    await screen.findByText('Not stored')
    expect(textOf(screen.getByRole('status'))).toBe(`Not stored${text}`)
  })

  it('cannot be emitted again before the answer', async () => {
    const { promise, resolve } = Promise.withResolvers<object>()
    await emit(() => promise)
    const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Emit' })
    expect(button.disabled).toBe(true)
    resolve({ eventId: 'evt_1' })
    await screen.findByText('Stored')
    expect(button.disabled).toBe(false)
  })
})

describe('what happened', () => {
  it.each<[Partial<EntryOf<'event'>>, string, string]>([
    [{}, '12:00:00.000deliverednote.changeddelivery', 'good'],
    [{ what: 'emitted', outcome: null }, '12:00:00.000emittednote.changed', 'good'],
    [
      { what: 'subscription', outcome: 'opened' },
      '12:00:00.000openednote.changedsubscription',
      'good',
    ],
    [
      { outcome: 'abandoned', reason: 'http_5xx' },
      '12:00:00.000abandonednote.changeddeliveryhttp_5xx',
      'bad',
    ],
    [{ outcome: 'dropped' }, '12:00:00.000droppednote.changeddelivery', 'bad'],
    [{ outcome: 'suspended' }, '12:00:00.000suspendednote.changeddelivery', 'bad'],
    [{ outcome: 'refused' }, '12:00:00.000refusednote.changeddelivery', 'bad'],
    [
      { outcome: 'retried', subscription: 'sub_1' },
      '12:00:00.000retriednote.changeddelivery sub_1',
      'warn',
    ],
    [{ outcome: 'expired' }, '12:00:00.000expirednote.changeddelivery', 'warn'],
    [
      { outcome: 'ended', reason: 'r', subscription: 's' },
      '12:00:00.000endednote.changeddeliveryr s',
      'warn',
    ],
  ])('with %j is a row', (change, text, colour) => {
    record(event(change))
    open()
    const [row] = rows()
    expect(textOf(row)).toBe(text)
    expect(row?.querySelector('.badge')?.className).toBe(`badge ${colour}`)
  })

  it('is listed with the newest first, and as it arrives', () => {
    record(event({ event: 'first' }), event({ event: 'second' }))
    open()
    expect(rows().map((row) => textOf(row.querySelector('.code')))).toEqual(['second', 'first'])
    act(() => record(event({ event: 'third' })))
    expect(rows()).toHaveLength(1)
  })

  it('is nothing at first', () => {
    open()
    expect(screen.getByText('Nothing yet.')).toBeTruthy()
  })
})

describe('the subscriptions', () => {
  it.each([
    [null, '', 'Enter a subject: callers who are not signed in have no subscriptions.'],
    ['ana', '?subject=ana', 'This server does not know the principals of a subject.'],
    ['a&b', '?subject=a%26b', 'This server does not know the principals of a subject.'],
  ])('of the subject %j say why they are not known', async (subject, query, text) => {
    const { requested } = open({ value: { types: [], subscriptions: null }, config: { subject } })
    await screen.findByText(text)
    expect(requested).toEqual([`GET ${PATH}${query}`])
  })

  it('are listed, and read again for another subject', async () => {
    const { requested } = open({ value: { types: [], subscriptions: [{ id: 'sub_1' }] } })
    const list = await screen.findByRole('list', { name: 'Subscriptions' })
    expect(textOf(list)).toBe('idsub_1')
    type('Subject', ' ben ')
    press('Show')
    await screen.findByRole('list', { name: 'Subscriptions' })
    expect(requested.at(-1)).toBe(`GET ${PATH}?subject=ben`)
  })

  it('are absent where the events could not be read', async () => {
    open({ value: 500 })
    await screen.findByText('The server answered 500. Its log has the cause.')
    expect(screen.queryByText('Loading…')).toBeNull()
    expect(screen.queryByRole('heading', { name: 'Subscriptions' })).toBeNull()
  })
})
