/** The texts of codes: joined where people read a timeline, and named by their place in the documentation elsewhere. */
import { describe, expect, it } from 'vitest'
import { FAULTS } from '../../../faults/src/faults.ts'
import { connectionsOf } from '../../src/timeline/connections.ts'
import { timelineText } from '../../src/timeline/timeline-text.ts'
import type { TimelineConnection } from '../../src/timeline/views.ts'
import { explain, explainedText } from '../../src/timeline-texts/index.ts'
import { BEGAN, challenge, resource, server, token } from './support/steps.ts'

const LATER = BEGAN + 60 * 60_000

/** A client that got a token whose lifetime is a date, and that was refused once before. */
const stopped = (): TimelineConnection => {
  const refused = challenge(0, {
    events: [{ type: 'refusal', name: 'token-missing', message: 'An access token is required' }],
  })
  const issued = token(3, 'client-a', { details: { expires: 'not a number' } })
  const [connection] = connectionsOf([refused, resource(1), server(2), issued], LATER)
  if (connection === undefined) throw new Error('No connection')
  return connection
}

const withCode = (connection: TimelineConnection, code: string): TimelineConnection => ({
  ...connection,
  verdict: {
    ...connection.verdict,
    findings: [{ code, severity: 'error', answer: 'The answer was new' }],
    checked: [{ code, result: 'failed', answer: 'The answer was new' }],
  },
  steps: connection.steps.map((step) => ({
    ...step,
    events: [{ type: 'refusal', name: code, message: 'It is refused' }],
  })),
})

describe('explain()', () => {
  it.each([
    ['refusal', 'not-acceptable', 'RFC 9110 §12.5.1'],
    ['refusal', 'code-verifier-mismatch', 'RFC 7636 §4.6'],
    ['leniency', 'accept-incomplete', 'MCP, sending messages'],
    ['leniency', 'of-another-release', 'Real clients send it'],
    ['refusal', 'sign-in-declined', undefined],
  ] as const)('joins the %s %s with the clause %j', (type, name, text) => {
    const connection = stopped()
    const steps = connection.steps.map((step) => ({
      ...step,
      events: [{ type, name, message: 'It is refused' }],
    }))
    expect(explain({ ...connection, steps }).steps[0]?.events[0]?.clause?.text).toBe(text)
  })

  it('joins findings, checked causes and events with their texts, and changes nothing else', () => {
    const connection = stopped()
    const { verdict, steps, ...rest } = explain(connection)
    const { meaning, fix, clause: text, source: url } = FAULTS['token-expiry-invalid']
    const fault = { meaning, fix, clause: { text, url } }
    expect(verdict.findings).toEqual([
      {
        code: 'token-expiry-invalid',
        severity: 'error',
        answer: 'expires_in was "not a number"',
        fault,
      },
    ])
    expect(verdict.checked.find(({ code }) => code === 'token-expiry-invalid')).toEqual({
      code: 'token-expiry-invalid',
      result: 'failed',
      answer: 'expires_in was "not a number"',
      fault,
    })
    expect(verdict.checked.filter((cause) => cause.fault === undefined)).toEqual([])
    expect(steps[0]?.events).toEqual([
      {
        type: 'refusal',
        name: 'token-missing',
        message: 'An access token is required',
        clause: {
          text: 'MCP, error handling',
          url: 'https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#error-handling',
        },
      },
    ])
    expect(connection).toMatchObject(rest)
  })

  it.each(['of-another-release', '__proto__', 'constructor', ''])(
    'leaves the code %j without texts',
    (code) => {
      const { verdict, steps } = explain(withCode(stopped(), code))
      expect(verdict.findings).toEqual([{ code, severity: 'error', answer: 'The answer was new' }])
      expect(verdict.checked).toEqual([{ code, result: 'failed', answer: 'The answer was new' }])
      expect(steps[0]?.events).toEqual([{ type: 'refusal', name: code, message: 'It is refused' }])
    },
  )
})

describe('the text of a timeline', () => {
  it('names each fault by its code, the recorded values and its place in the documentation', () => {
    const text = timelineText([stopped()])
    expect(text).toContain(`
                refusal token-missing: An access token is required
`)
    expect(text).toContain(`
  error token-expiry-invalid
    expires_in was "not a number".
    docs/reference/faults.md#token-expiry-invalid
`)
    expect(text).toContain(`
    FAILED  token-expiry-invalid: expires_in was "not a number".
`)
    expect(text).not.toContain('Fix: ')
    expect(text).toMatch(
      /\n\nFaults are explained in docs\/reference\/faults\.md, refusals in docs\/reference\/reasons\.md\.\n$/,
    )
  })

  it('says that no connections are recorded, and names no documentation', () => {
    expect(timelineText([])).toBe('No connections are recorded.\n')
    expect(explainedText([])).toBe('No connections are recorded.\n')
  })

  it('has the meaning, the fix and the clauses with the texts', () => {
    const text = explainedText([stopped()])
    expect(text).toContain(
      'refusal token-missing: An access token is required [MCP, error handling, https://modelcontextprotocol.io/',
    )
    expect(text).toContain(`
  error token-expiry-invalid
    expires_in is not a positive number of seconds. expires_in was "not a number".
    Fix: Send expires_in as the lifetime of the token in seconds: a number, not a string, a date or 0.
    RFC 6749 §5.1 (https://www.rfc-editor.org/rfc/rfc6749#section-5.1)
`)
    expect(text).toContain(`
    FAILED  token-expiry-invalid: expires_in is not a positive number of seconds. Answer: expires_in was "not a number".
`)
    expect(text).not.toContain('docs/reference')
  })

  it('has the code and the recorded values of a fault of another release', () => {
    expect(explainedText([withCode(stopped(), 'of-another-release')])).toContain(`
  error of-another-release
    The answer was new.
  Known causes that were checked:
    FAILED  of-another-release: The answer was new.`)
  })
})
