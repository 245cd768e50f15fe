/** The tab of stored state, and the records of a subject. */
import { render, screen, waitFor } from '@testing-library/preact'
import { describe, expect, it } from 'vitest'
import { StateView } from '../../../page/state/state-view.tsx'
import { enteredIn, press, textOf, type } from '../support/controls.ts'
import { playServer } from '../support/played-server.ts'

const AT = new Date(2026, 10, 22, 12).getTime()
const PATH = '/inspect/state.json'

const STATE = { subject: 'ana', sessions: [], tasks: [], grants: [], listeners: [] }

function open(value: object | number, subject: string | null = 'ana') {
  const recorded = playServer({ answers: { [PATH]: value } })
  render(<StateView subject={subject} />)
  return recorded
}

const cardOf = async (title: string) =>
  (await screen.findByRole('heading', { level: 3, name: title })).closest('section')

describe('a stored record', () => {
  it.each<[unknown, string]>([
    [{ usedAt: AT }, 'usedAt22 Nov 2026, 12:00:00'],
    [{ usedAt: 'never' }, 'usedAtnever'],
    [{ Atlas: 7 }, 'Atlas7'],
    [{ count: 0, isOpen: false, none: null }, 'count0isOpenfalsenonenull'],
    [{ text: 'x'.repeat(301) }, `text${'x'.repeat(299)}…`],
    [{ names: ['a'] }, 'namesCopy names[1]0"a"'],
    ['text', '"text"'],
    [null, 'null'],
  ])('%j is shown as %s', async (record, text) => {
    open({ ...STATE, sessions: [record] })
    expect(textOf((await cardOf('Sessions'))?.querySelector('ul.records'))).toBe(text)
  })

  it('takes the whole width where it has parts', async () => {
    open({ ...STATE, sessions: [{ id: 's', names: [], none: null }] })
    const widths = [...((await cardOf('Sessions'))?.querySelectorAll('dl > div') ?? [])]
    expect(widths.map(({ className }) => className)).toEqual(['', 'wide', ''])
  })

  it('is one of several, or alone', async () => {
    open({ ...STATE, sessions: [{ id: 's1' }, { id: 's2' }], tasks: { id: 't' } })
    expect(textOf((await cardOf('Sessions'))?.querySelector('ul'))).toBe('ids1ids2')
    expect(textOf((await cardOf('Tasks'))?.querySelector('ul'))).toBe('idt')
  })
})

describe('the state of a subject', () => {
  it('has four parts, each of which may be empty', async () => {
    const { requested } = open(STATE)
    expect(screen.getByText('Loading…')).toBeTruthy()
    expect(await screen.findAllByText('None.')).toHaveLength(4)
    expect(screen.queryByText('Loading…')).toBeNull()
    expect(screen.getAllByRole('heading', { level: 3 }).map(textOf)).toEqual([
      'Sessions',
      'Tasks',
      'Grants',
      'Listeners',
    ])
    expect(enteredIn('Subject')).toBe('ana')
    expect(requested).toEqual([`GET ${PATH}?subject=ana`])
  })

  it.each([
    ['ana', 'This server has no index of them.'],
    [null, 'Enter a subject: the indexes are per subject.'],
  ])('%j says which part has no index', async (subject, text) => {
    const { listeners: _, ...rest } = { ...STATE, grants: null }
    open(rest, subject)
    expect(await screen.findAllByText(text)).toHaveLength(2)
  })

  it('is read again for another subject, also for the same one', async () => {
    const { requested } = open(STATE, null)
    expect(requested).toEqual([`GET ${PATH}`])
    type('Subject', ' ben & co ')
    press('Show')
    await waitFor(() => expect(requested.at(-1)).toBe(`GET ${PATH}?subject=ben%20%26%20co`))
    const { length } = requested
    press('Show')
    await waitFor(() => expect(requested.length).toBeGreaterThan(length))
  })

  it('is that of the last subject, also when the answer for the one before comes later', async () => {
    const late = Promise.withResolvers<object>()
    const stateOf = (id: string) => ({ ...STATE, sessions: [{ id }] })
    playServer({
      answers: {
        [PATH]: ({ url }: Request) => (url.endsWith('=ben') ? stateOf('of ben') : late.promise),
      },
    })
    render(<StateView subject="ana" />)
    type('Subject', 'ben')
    press('Show')
    await screen.findByText('of ben')
    late.resolve(stateOf('of ana'))
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(screen.queryByText('of ana')).toBeNull()
    expect(screen.getByText('of ben')).toBeTruthy()
  })

  it('says how it could not be read', async () => {
    open(429)
    await screen.findByText('Too many requests. Wait for a moment, then try again.')
    expect(screen.queryByText('Loading…')).toBeNull()
  })
})
