import { describe, expect, it } from 'vitest'
import { childOf, createSpanContext, parseTraceContext } from '../../src/protocol/trace-context.ts'

const TRACE = 'a'.repeat(32)
const SPAN = 'b'.repeat(16)

describe('parseTraceContext', () => {
  it.each([
    [`00-${TRACE}-${SPAN}-01`, true],
    [`00-${TRACE}-${SPAN}-00`, false],
    [`00-${TRACE}-${SPAN}-03`, true],
    [`01-${TRACE}-${SPAN}-01-and-more`, true],
  ])('reads %s', (traceparent, isSampled) => {
    expect(parseTraceContext(traceparent, undefined)).toEqual({
      traceId: TRACE,
      spanId: SPAN,
      isSampled,
      tracestate: undefined,
    })
  })

  it.each([
    [undefined],
    [1],
    [''],
    [`00-${TRACE}-${SPAN}`],
    [`00-${TRACE}-${SPAN}-1`],
    [`00-${TRACE}-${SPAN}-01-more`],
    [`ff-${TRACE}-${SPAN}-01`],
    [`00-${'0'.repeat(32)}-${SPAN}-01`],
    [`00-${TRACE}-${'0'.repeat(16)}-01`],
    [`00-${TRACE.toUpperCase()}-${SPAN}-01`],
    [`00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
    [`01-${TRACE}-${SPAN}-01-${'x'.repeat(300)}`],
  ])('ignores %j', (traceparent) => {
    expect(parseTraceContext(traceparent, 'a=1')).toBeUndefined()
  })

  it.each([
    ['a=1,b@c=2', 'a=1,b@c=2'],
    ['a=1 , ,b=2', 'a=1,b=2'],
    ['', undefined],
    ['A=1', undefined],
    ['a', undefined],
    ['a=b=c', undefined],
    ['a=\u0001', undefined],
    [`a=${'x'.repeat(512)}`, undefined],
    [Array.from({ length: 33 }, (_, index) => `k${index}=1`).join(), undefined],
    [1, undefined],
  ])('reads the state %j as %j', (tracestate, expected) => {
    const parent = parseTraceContext(`00-${TRACE}-${SPAN}-01`, tracestate)
    expect(parent?.tracestate).toBe(expected)
  })
})

describe('the context of a span', () => {
  it('continues the trace of its parent, with its decision and its state', () => {
    const parent = { traceId: TRACE, spanId: SPAN, isSampled: false, tracestate: 'a=1' }
    expect(createSpanContext(parent)).toEqual({
      traceId: TRACE,
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
      parentSpanId: SPAN,
      isSampled: false,
      tracestate: 'a=1',
    })
  })

  it('begins a trace without a parent, and is the parent of its children', () => {
    const first = createSpanContext(undefined)
    expect(first.traceId).toMatch(/^[0-9a-f]{32}$/)
    expect(first.parentSpanId).toBeUndefined()
    const child = childOf(first)
    expect(child).toMatchObject({ traceId: first.traceId, parentSpanId: first.spanId })
    expect(child.spanId).not.toBe(first.spanId)
  })
})
