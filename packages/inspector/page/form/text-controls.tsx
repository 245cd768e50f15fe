/** Controls of texts, numbers and JSON. */
import { useState } from 'preact/hooks'
import { tryParseJson } from '../../../../src/platform/try-parse.ts'
import type { ControlProps } from './control-props.ts'
import type { Plan } from './plan.ts'
import type { Json } from './schema.ts'
import { InvalidJson, sentOf, type Value } from './value.ts'

type TextProps = ControlProps<Extract<Plan, { kind: 'text' }>>

/** The browser's own controls for these formats, and its keyboards on a phone. */
const TYPES: Readonly<Record<string, 'email' | 'url' | 'date'>> = {
  email: 'email',
  uri: 'url',
  date: 'date',
}

/** A text that may be longer is entered on several lines. */
const LONG = 120

export function TextControl({ plan, isRequired, value, onChange, attributes }: TextProps) {
  const { format, maxLength } = plan
  const text = typeof value === 'string' ? value : ''
  // An optional text that is empty is not sent.
  const change = (next: string) => onChange(next === '' && !isRequired ? undefined : next)
  const isLong = format === undefined && (maxLength === undefined || maxLength > LONG)
  if (isLong) {
    return (
      <textarea
        {...attributes}
        class="text"
        rows={text.includes('\n') || text.length > 80 ? 5 : 1}
        value={text}
        required={isRequired}
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
    )
  }
  return (
    <input
      {...attributes}
      // The types of Preact distinguish inputs by one literal.
      type={(TYPES[format ?? ''] ?? 'text') as 'text'}
      value={text}
      required={isRequired}
      placeholder={format === 'date-time' ? '2026-07-28T12:00:00Z' : undefined}
      onInput={({ currentTarget }) => change(currentTarget.value)}
    />
  )
}

type NumberProps = ControlProps<Extract<Plan, { kind: 'number' }>>

export function NumberControl({ plan, isRequired, value, onChange, attributes }: NumberProps) {
  const [text, setText] = useState('')
  const change = (next: string) => {
    setText(next)
    const number = Number(next)
    if (next.trim() === '') onChange(undefined)
    else onChange(Number.isFinite(number) ? number : next)
  }
  return (
    <input
      {...attributes}
      type="text"
      inputMode={plan.isInteger ? 'numeric' : 'decimal'}
      autocomplete="off"
      required={isRequired}
      // As it was entered, such as `1.`, while it is this value.
      value={text !== '' && Number(text) === value ? text : String(value ?? '')}
      onInput={({ currentTarget }) => change(currentTarget.value)}
    />
  )
}

export function JsonControl({ value, onChange, attributes }: ControlProps) {
  const [text, setText] = useState('')
  const change = (next: string) => {
    setText(next)
    onChange(next.trim() === '' ? undefined : parse(next))
  }
  return (
    <textarea
      {...attributes}
      rows={4}
      spellcheck={false}
      placeholder="JSON"
      value={textOf(value, text)}
      onInput={({ currentTarget }) => change(currentTarget.value)}
    />
  )
}

/** The text as it was entered, while it is this value. */
function textOf(value: Value, entered: string): string {
  if (value instanceof InvalidJson) return value.text
  if (value === undefined) return ''
  const sent = JSON.stringify(sentOf(value))
  const parsed = parse(entered)
  const isEntered = !(parsed instanceof InvalidJson) && JSON.stringify(parsed) === sent
  return isEntered ? entered : JSON.stringify(sentOf(value), null, 2)
}

function parse(text: string) {
  const value = tryParseJson(text) as Json | undefined
  // The form reports it when it is submitted.
  return value === undefined ? new InvalidJson(text) : value
}
