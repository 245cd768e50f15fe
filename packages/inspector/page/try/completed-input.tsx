/** An input whose values the server completes, where it can. */
import { useEffect, useId, useState } from 'preact/hooks'
import { type Params, sendRequest } from '../client/endpoint.ts'
import { Paragraph, Text } from '../elements/text.tsx'
import { catalogState } from './catalog.ts'

type Values = Readonly<Record<string, string>>

interface CompletedInputProps {
  readonly endpoint: string
  /** The prompt or the template. */
  readonly reference: Params
  readonly name: string
  readonly title?: unknown
  readonly description?: unknown
  readonly isRequired: boolean
  /** All arguments, which the completion may depend on. */
  readonly values: Values
  readonly onValues: (values: Values) => void
}

/** A completion is requested when the person has stopped typing for this long. */
const PAUSE_MS = 200

export function CompletedInput(props: CompletedInputProps) {
  const { name, title, description, isRequired, values, onValues } = props
  const [isFocused, setFocused] = useState(false)
  const suggestions = useSuggestions(props, isFocused)
  const id = useId()
  return (
    <div class="field">
      <label for={id}>
        <Text max={120}>{String(title ?? name)}</Text>
        {isRequired && <span class="required"> required</span>}
      </label>
      <input
        id={id}
        list={`${id}-list`}
        autocomplete="off"
        required={isRequired}
        aria-describedby={`${id}-text`}
        value={values[name] ?? ''}
        onFocus={() => setFocused(true)}
        onInput={({ currentTarget }) => onValues({ ...values, [name]: currentTarget.value })}
      />
      <datalist id={`${id}-list`}>
        {suggestions.map((value) => (
          <option key={value} value={value} />
        ))}
      </datalist>
      <div id={`${id}-text`}>
        {description !== undefined && (
          <Paragraph class="description" max={1000} text={String(description)} />
        )}
      </div>
    </div>
  )
}

function useSuggestions(
  { endpoint, reference, name, values }: CompletedInputProps,
  isFocused: boolean,
): readonly string[] {
  const [suggestions, setSuggestions] = useState<readonly string[]>([])
  const text = values[name] ?? ''
  const key = JSON.stringify(values)

  useEffect(() => {
    if (!isFocused || !hasCompletions()) return
    const controller = new AbortController()
    const { [name]: _, ...others } = values
    const request = () => {
      const params = {
        ref: reference,
        argument: { name, value: text },
        ...(Object.keys(others).length > 0 && { context: { arguments: others } }),
      }
      sendRequest(endpoint, 'completion/complete', params, { signal: controller.signal }).then(
        ({ completion }) =>
          setSuggestions(((completion ?? {}) as { values?: string[] }).values ?? []),
        // Without suggestions, the value is typed.
        () => setSuggestions([]),
      )
    }
    const timer = setTimeout(request, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [isFocused, key])
  return suggestions
}

function hasCompletions(): boolean {
  const { value } = catalogState
  if (value.state !== 'ready') return false
  const { capabilities } = value.catalog.introduction
  return (capabilities as Params | undefined)?.completions !== undefined
}
