/** The filters of the list. */
import { fireEvent, render, screen } from '@testing-library/preact'
import { beforeEach, describe, expect, it } from 'vitest'
import { TrafficView } from '../../../page/traffic/traffic-view.tsx'
import { CONFIG } from '../support/config.ts'
import { choose, optionsOf, press, textOf } from '../support/controls.ts'
import { entry, exchange, fromClient, record } from './entries.ts'

const ids = () =>
  [...document.querySelectorAll('a.row')].map(({ id }) => id.replace('exchange-', '')).sort()

const onlyMarked = () => screen.getByLabelText<HTMLInputElement>('Only refusals and leniencies')

beforeEach(() => {
  const old = { revision: '2025-06-18', session: 's1', client: { name: 'Old', version: '1' } }
  record(
    ...exchange('list', entry('opened'), fromClient({ method: 'tools/list' })),
    ...exchange('call', entry('opened', old), fromClient({ method: 'tools/call' })),
    ...exchange(
      'ping',
      entry('opened', { revision: null, era: 'http-sse', client: null }),
      fromClient({ method: 'ping' }),
      entry('leniency'),
    ),
    ...exchange(
      'refused',
      entry('opened', old),
      fromClient({ method: 'tools/list' }),
      entry('refusal'),
    ),
  )
  render(<TrafficView config={CONFIG} selected={undefined} />)
})

describe('the filter', () => {
  it.each([
    ['Method', ['All', 'ping', 'tools/call', 'tools/list']],
    ['Revision', ['All', '2025-06-18', '2026-07-28', 'HTTP+SSE']],
    ['Client', ['All', 'Old', 'example-client']],
    ['Session', ['All', 's1']],
  ])('%s offers the values of the exchanges', (label, options) => {
    expect(optionsOf(label)).toEqual(options)
  })

  it.each([
    ['Method', 'tools/list', ['list', 'refused']],
    ['Revision', '2025-06-18', ['call', 'refused']],
    ['Revision', 'HTTP+SSE', ['ping']],
    ['Client', 'example-client', ['list']],
    ['Session', 's1', ['call', 'refused']],
    ['Session', 'All', ['call', 'list', 'ping', 'refused']],
  ])('%s with %s leaves the exchanges of it', (label, option, expected) => {
    choose(label, option)
    expect(ids()).toEqual(expected)
  })

  it('of refusals and leniencies leaves the exchanges with a decision', () => {
    fireEvent.click(onlyMarked())
    expect(ids()).toEqual(['ping', 'refused'])
    fireEvent.click(onlyMarked())
    expect(ids()).toHaveLength(4)
  })

  it('is joined with the others, and counted', () => {
    const summary = () => textOf(document.querySelector('summary'))
    expect(summary()).toBe('Filters')
    expect(screen.queryByRole('button', { name: 'Remove the filters' })).toBeNull()
    choose('Client', 'Old')
    fireEvent.click(onlyMarked())
    expect(ids()).toEqual(['refused'])
    expect(summary()).toBe('Filters2')
    press('Remove the filters')
    expect(ids()).toHaveLength(4)
    expect(summary()).toBe('Filters')
  })

  it('that leaves nothing says so, and is removed where it says so', () => {
    choose('Method', 'ping')
    choose('Session', 's1')
    expect(ids()).toEqual([])
    expect(screen.getByText('No exchange matches the filters')).toBeTruthy()
    press('Remove the filters', 1)
    expect(ids()).toHaveLength(4)
  })

  it('does not change the number of exchanges', () => {
    choose('Method', 'ping')
    expect(screen.getByText('4 exchanges')).toBeTruthy()
  })

  it('keeps a chosen value that no exchange has any more', () => {
    choose('Method', 'ping')
    press('Clear')
    expect(optionsOf('Method')).toEqual(['All', 'ping'])
  })
})
