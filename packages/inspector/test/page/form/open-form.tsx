/** Opens the form of a schema, and collects what it sends. */
import { render } from '@testing-library/preact'
import type { Json, Schema } from '../../../page/form/schema.ts'
import { SchemaForm } from '../../../page/form/schema-form.tsx'
import { press } from '../support/controls.ts'

interface OpenOptions {
  readonly entered?: Json
  readonly disabled?: boolean
}

export function openForm(schema: Schema, options: OpenOptions = {}): readonly Json[] {
  const sent: Json[] = []
  render(
    <SchemaForm
      schema={schema}
      action="Send"
      onSubmit={(value) => sent.push(value)}
      {...options}
    />,
  )
  return sent
}

/** The form of an object with the member `it`. */
export const openMember = (it: Schema, { isRequired = false, ...options } = {}): readonly Json[] =>
  openForm({ type: 'object', properties: { it }, ...(isRequired && { required: ['it'] }) }, options)

export const openRequired = (it: Schema) => openMember(it, { isRequired: true })

export const send = () => press('Send')
