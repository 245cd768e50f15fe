/** The arguments of a prompt, with completion. */
import { useState } from 'preact/hooks'
import type { Params } from '../client/endpoint.ts'
import { CompletedInput } from './completed-input.tsx'
import type { RequestFormProps } from './request-form.ts'

export function PromptForm({
  item: { id, definition },
  endpoint,
  isActive,
  entered = {},
  onRequest,
}: RequestFormProps) {
  const [values, setValues] = useState(entered as Readonly<Record<string, string>>)
  const args = Array.isArray(definition.arguments) ? (definition.arguments as Params[]) : []
  const submit = (event: Event) => {
    event.preventDefault()
    // An input that was cleared has no value.
    const entered = Object.entries(values).filter(([, value]) => value !== '')
    const params = { name: id, arguments: Object.fromEntries(entered) }
    onRequest({ method: 'prompts/get', params, values })
  }
  return (
    <form onSubmit={submit}>
      {args.map((argument) => {
        const name = String(argument.name)
        return (
          <CompletedInput
            key={name}
            endpoint={endpoint}
            reference={{ type: 'ref/prompt', name: id }}
            name={name}
            title={argument.title}
            description={argument.description}
            isRequired={argument.required === true}
            values={values}
            onValues={setValues}
          />
        )
      })}
      <div class="buttons">
        <button type="submit" class="main" disabled={isActive}>
          Get the prompt
        </button>
      </div>
    </form>
  )
}
