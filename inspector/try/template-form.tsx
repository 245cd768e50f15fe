/** The variables of a resource template, with completion, and the URI that they expand to. */
import { useState } from 'preact/hooks'
import { expandUriTemplate } from '../../src/server/uri-template/expand.ts'
import { parseUriTemplate, type UriTemplate } from '../../src/server/uri-template/parse.ts'
import { Notice } from '../elements/notice.tsx'
import { Code } from '../elements/text.tsx'
import { CompletedInput } from './completed-input.tsx'
import type { RequestFormProps } from './request-form.ts'

export function TemplateForm({
  item: { id },
  endpoint,
  isActive,
  entered = {},
  onRequest,
}: RequestFormProps) {
  const [values, setValues] = useState(entered as Readonly<Record<string, string>>)
  const template = parse(id)
  if (template === undefined) {
    return <Notice kind="warn" title="This template cannot be expanded" />
  }
  const uri = expandUriTemplate(template, valuesOf(template, values))
  const submit = (event: Event) => {
    event.preventDefault()
    onRequest({ method: 'resources/read', params: { uri }, values })
  }
  return (
    <form onSubmit={submit}>
      {template.variables.map((name) => (
        <CompletedInput
          key={name}
          endpoint={endpoint}
          reference={{ type: 'ref/resource', uri: id }}
          name={name}
          isRequired={false}
          values={values}
          onValues={setValues}
        />
      ))}
      <p class="quiet">
        URI: <Code>{uri}</Code>
      </p>
      <div class="buttons">
        <button type="submit" class="main" disabled={isActive}>
          Read
        </button>
      </div>
    </form>
  )
}

/** A variable with `*` takes several values, separated by commas. */
function valuesOf({ parts }: UriTemplate, values: Readonly<Record<string, string>>) {
  const exploded = parts.flatMap((part) =>
    part.kind === 'expression' ? part.variables.filter(({ explode }) => explode) : [],
  )
  const lists = new Set(exploded.map(({ name }) => name))
  const entries = Object.entries(values).filter(([, value]) => value !== '')
  return Object.fromEntries(
    entries.map(([name, value]) => [name, lists.has(name) ? value.split(',') : value]),
  )
}

function parse(text: string): UriTemplate | undefined {
  try {
    return parseUriTemplate(text)
  } catch {
    // Other servers may list templates that this library does not accept.
    return undefined
  }
}
