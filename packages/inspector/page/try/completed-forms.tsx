/** The arguments of a prompt and the variables of a resource template, with completion. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { expandUriTemplate } from '../../../../src/server/uri-template/expand.ts'
import { parseUriTemplate, type UriTemplate } from '../../../../src/server/uri-template/parse.ts'
import type { Params } from '../client/endpoint.ts'
import { Notice } from '../elements/notice.tsx'
import { Code } from '../elements/text.tsx'
import { CompletedInput } from './completed-input.tsx'
import type { RequestFormProps } from './request-form.ts'

type Values = Readonly<Record<string, string>>

export function PromptForm(props: RequestFormProps) {
  const { id, definition } = props.item
  const args = Array.isArray(definition.arguments) ? (definition.arguments as Params[]) : []
  return (
    <CompletedForm
      {...props}
      inputs={args}
      reference={{ type: 'ref/prompt', name: id }}
      action="Get the prompt"
      requestOf={(values) => ({
        method: 'prompts/get',
        params: { name: id, arguments: Object.fromEntries(filledIn(values)) },
      })}
    />
  )
}

/** Shows the URI that the variables expand to. */
export function TemplateForm(props: RequestFormProps) {
  const { id } = props.item
  const template = parse(id)
  if (template === undefined) {
    return <Notice kind="warn" title="This template cannot be expanded" />
  }
  const uriOf = (values: Values) => expandUriTemplate(template, valuesOf(template, values))
  return (
    <CompletedForm
      {...props}
      inputs={template.variables.map((name) => ({ name }))}
      reference={{ type: 'ref/resource', uri: id }}
      action="Read"
      requestOf={(values) => ({ method: 'resources/read', params: { uri: uriOf(values) } })}
    >
      {(values) => (
        <p class="quiet">
          URI: <Code>{uriOf(values)}</Code>
        </p>
      )}
    </CompletedForm>
  )
}

interface CompletedFormProps extends RequestFormProps {
  /** Each with its name, title and description, and whether it is required. */
  readonly inputs: readonly Params[]
  /** The prompt or the template. */
  readonly reference: Params
  readonly action: string
  readonly requestOf: (values: Values) => { readonly method: string; readonly params: Params }
  readonly children?: (values: Values) => ComponentChildren
}

function CompletedForm(props: CompletedFormProps) {
  const { inputs, reference, action, requestOf, children } = props
  const { endpoint, isActive, entered = {}, onRequest } = props
  const [values, setValues] = useState(entered as Values)
  const submit = (event: Event) => {
    event.preventDefault()
    onRequest({ ...requestOf(values), values })
  }
  return (
    <form onSubmit={submit}>
      {inputs.map(({ name, title, description, required }) => (
        <CompletedInput
          key={String(name)}
          endpoint={endpoint}
          reference={reference}
          name={String(name)}
          title={title}
          description={description}
          isRequired={required === true}
          values={values}
          onValues={setValues}
        />
      ))}
      {children?.(values)}
      <div class="buttons">
        <button type="submit" class="main" disabled={isActive}>
          {action}
        </button>
      </div>
    </form>
  )
}

/** An input that was cleared has no value. */
const filledIn = (values: Values) => Object.entries(values).filter(([, value]) => value !== '')

/** A variable with `*` takes several values, separated by commas. */
function valuesOf({ parts }: UriTemplate, values: Values) {
  const exploded = parts.flatMap((part) =>
    part.kind === 'expression' ? part.variables.filter(({ explode }) => explode) : [],
  )
  const lists = new Set(exploded.map(({ name }) => name))
  return Object.fromEntries(
    filledIn(values).map(([name, value]) => [name, lists.has(name) ? value.split(',') : value]),
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
