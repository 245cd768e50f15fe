/** The questions of a server within a call, and what each control answers. */
import { screen, waitFor } from '@testing-library/preact'
import { describe, expect, it, vi } from 'vitest'
import { choose, enteredIn, press, textOf, type } from '../support/controls.ts'
import type { McpRequest } from '../support/played-server.ts'
import { callsOf, callTool, status } from './open-try.tsx'

const FORM = {
  method: 'elicitation/create',
  params: {
    message: 'How many?',
    requestedSchema: {
      type: 'object',
      required: ['count'],
      properties: { count: { type: 'integer' } },
    },
  },
}
const url = (address: string) => ({
  method: 'elicitation/create',
  params: { mode: 'url', message: 'Sign here', url: address },
})
const SAMPLING = { method: 'sampling/createMessage', params: { maxTokens: 7 } }
const ROOTS = { method: 'roots/list' }

/** The tool asks in the first round, and is done in the second. */
async function ask(inputRequests: unknown, requestState?: unknown) {
  const recorded = await callTool(({ params }: McpRequest) =>
    params.inputResponses === undefined
      ? { resultType: 'input_required', inputRequests, requestState }
      : { content: [] },
  )
  const answers = async () => {
    await screen.findByText(/^Done/)
    return callsOf(recorded, 'tools/call')[1]?.params
  }
  await waitFor(() => expect(textOf(status())).toMatch(/^The server asks|^Done/))
  return { ...recorded, answers }
}

const responses = (answer: unknown) => ({ inputResponses: { q: answer } })

describe('a question with a form', () => {
  it('is shown with its message, gets the focus, and sends what was entered', async () => {
    const { answers } = await ask({ q: FORM })
    const heading = screen.getByRole('heading', { level: 3, name: 'The server asks you q' })
    await waitFor(() => expect(document.activeElement).toBe(heading))
    expect(screen.getByText('How many?')).toBeTruthy()
    press('Accept')
    expect(screen.getByText('A value is required')).toBeTruthy()
    type(/^count/, '3')
    press('Accept')
    expect(await answers()).toMatchObject(responses({ action: 'accept', content: { count: 3 } }))
    expect(screen.queryByText('How many?')).toBeNull()
  })

  it.each([
    ['Decline', 'decline'],
    ['Dismiss', 'cancel'],
  ])('is answered by the button %s', async (button, action) => {
    const { answers } = await ask({ q: FORM })
    press(button)
    expect((await answers())?.inputResponses).toEqual({ q: { action } })
  })

  it.each([undefined, 7])('without a schema (%j) asks for nothing', async (requestedSchema) => {
    const params = { requestedSchema }
    const { answers } = await ask({ q: { method: 'elicitation/create', params } })
    expect(textOf(document.querySelector('.question'))).toBe('')
    press('Accept')
    expect(await answers()).toMatchObject(responses({ action: 'accept', content: {} }))
  })
})

describe('a question with an address', () => {
  it('shows it whole, and opens it by its button alone', async () => {
    const opened = vi.spyOn(window, 'open').mockReturnValue(null)
    const { answers } = await ask({ q: url('https://example.com/form?a=1') })
    expect(textOf(document.querySelector('.ask'))).toContain(
      'Sign herehttps://example.com/form?a=1Open it only if you trust example.com.',
    )
    expect(opened).not.toHaveBeenCalled()
    press('Open in a new tab')
    expect(opened.mock.calls).toEqual([
      ['https://example.com/form?a=1', '_blank', 'noopener,noreferrer'],
    ])
    expect((await answers())?.inputResponses).toEqual({ q: { action: 'accept' } })
  })

  it.each(['javascript:alert(1)', 'file:///etc/passwd', undefined as never])(
    'of another scheme cannot be opened: %s',
    async (address) => {
      const { answers } = await ask({ q: url(address) })
      expect(screen.getByText('This is no web address, and is not opened.')).toBeTruthy()
      expect(screen.queryByRole('button', { name: 'Open in a new tab' })).toBeNull()
      press('Decline')
      expect(await answers()).toMatchObject(responses({ action: 'decline' }))
    },
  )
})

describe('a question for the model', () => {
  it('shows the request, and answers with the text of the person', async () => {
    const { answers } = await ask({ q: SAMPLING })
    expect(screen.getByRole('heading', { name: 'The server asks your model q' })).toBeTruthy()
    expect(textOf(document.querySelector('.ask .json > ul'))).toBe('{1}maxTokens7')
    const control = screen.getByLabelText('Answer of the model')
    expect(control.hasAttribute('aria-describedby')).toBe(false)
    type('Answer of the model', 'hello')
    press('Answer')
    expect((await answers())?.inputResponses).toEqual({
      q: {
        role: 'assistant',
        content: { type: 'text', text: 'hello' },
        model: 'person',
        stopReason: 'endTurn',
      },
    })
  })
})

describe('a question for the roots', () => {
  it('is answered with one root for each line that is not empty', async () => {
    const { answers } = await ask({ q: ROOTS })
    expect(screen.getByRole('heading', { name: 'The server asks for your roots q' })).toBeTruthy()
    expect(enteredIn('Roots')).toBe('file:///project')
    const control = screen.getByLabelText('Roots')
    const description = document.getElementById(control.getAttribute('aria-describedby') ?? '')
    expect(textOf(description)).toMatch(/^One file: URI a line\./)
    type('Roots', ' file:///a \n\nfile:///b\n')
    press('Answer')
    expect(await answers()).toMatchObject(
      responses({ roots: [{ uri: 'file:///a' }, { uri: 'file:///b' }] }),
    )
  })
})

describe('a question that has no response which declines', () => {
  it.each([
    ['the model', SAMPLING],
    ['the roots', ROOTS],
  ])('for %s is refused by ending the call', async (_, question) => {
    const { calls } = await ask({ q: question })
    press('Refuse and end the call')
    await screen.findByText('Cancelled')
    expect(screen.queryByText(/The server asks/)).toBeNull()
    expect(callsOf({ calls }, 'tools/call')).toHaveLength(1)
  })
})

describe('a question that the page does not know', () => {
  it('is shown, and ended by cancelling the call', async () => {
    await ask({ q: { method: 'odd/request', params: { a: 1 } } })
    expect(screen.getByRole('heading', { name: 'The server asks q' })).toBeTruthy()
    expect(screen.getByText(/does not know the request/)).toBeTruthy()
    expect(textOf(document.querySelector('.ask .json > ul'))).toBe(
      '{2}method"odd/request"params{1}a1',
    )
    press('Cancel the call')
    await screen.findByText('Cancelled')
  })
})

describe('several questions at once', () => {
  it('are answered one after the other, and the call continues with all answers', async () => {
    const { answers, calls } = await ask({ left: FORM, right: ROOTS })
    expect(textOf(status())).toBe('The server asks 2 things')
    press('Decline')
    expect(screen.getAllByRole('heading', { name: /The server asks/ })).toHaveLength(1)
    await waitFor(() =>
      expect(textOf(document.activeElement)).toBe('The server asks for your roots right'),
    )
    expect(callsOf({ calls }, 'tools/call')).toHaveLength(1)
    press('Answer')
    expect((await answers())?.inputResponses).toEqual({
      left: { action: 'decline' },
      right: { roots: [{ uri: 'file:///project' }] },
    })
  })

  it('may be answered in another order', async () => {
    const { answers } = await ask({ left: FORM, right: ROOTS })
    press('Answer')
    press('Dismiss')
    expect(await answers()).toMatchObject({ inputResponses: { left: { action: 'cancel' } } })
  })
})

describe('a call that is continued', () => {
  it.each([
    ['opaque', { requestState: 'opaque' }],
    [undefined, {}],
  ])('sends its arguments again, and the state %j of the server', async (state, expected) => {
    const { answers } = await ask({ q: FORM }, state)
    press('Decline')
    const params = await answers()
    expect(params).toMatchObject({ name: 'make', arguments: {}, ...expected })
    expect('requestState' in (params ?? {})).toBe(state !== undefined)
  })

  it('is repeated at once where the server asks nothing', async () => {
    const { answers } = await ask(undefined, 's')
    expect(await answers()).toMatchObject({ inputResponses: {}, requestState: 's' })
  })

  it('ends after 100 rounds', async () => {
    const recorded = await callTool(() => ({ resultType: 'input_required', requestState: 's' }))
    await screen.findByText('The server asked 100 times.')
    expect(callsOf(recorded, 'tools/call')).toHaveLength(100)
  })

  it('begins each round with an empty form', async () => {
    let round = 0
    await callTool(() => {
      round += 1
      return { resultType: 'input_required', inputRequests: { [`q${round}`]: FORM } }
    })
    await screen.findByRole('heading', { name: 'The server asks you q1' })
    type(/^count/, '3')
    press('Accept')
    await screen.findByRole('heading', { name: 'The server asks you q2' })
    expect(enteredIn(/^count/)).toBe('')
  })

  it('does not count the time of the person', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(1000)
    await ask({
      q: { ...FORM, params: { requestedSchema: { properties: { a: { type: 'boolean' } } } } },
    })
    now.mockReturnValue(61_000)
    choose('a', 'true')
    press('Accept')
    expect(textOf(await screen.findByText(/^Done/))).toBe('Done in 0 ms')
  })
})
