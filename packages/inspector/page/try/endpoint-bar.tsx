/** The endpoint that the page is a client of, and the sign-out. */
import { useId, useState } from 'preact/hooks'

interface EndpointBarProps {
  /** Paths of the endpoint, which may have params such as `{org}`. */
  readonly endpoints: readonly string[]
  readonly endpoint: string
  readonly onEndpoint: (endpoint: string) => void
  /** Undefined without a token. */
  readonly signOut: (() => void) | undefined
}

export function EndpointBar({ endpoints, endpoint, onEndpoint, signOut }: EndpointBarProps) {
  const [text, setText] = useState(endpoint)
  const id = useId()
  const submit = (event: Event) => {
    event.preventDefault()
    onEndpoint(text)
  }
  return (
    <form class="toolbar" onSubmit={submit}>
      <label for={id}>Endpoint</label>
      <div class="toolbar-row">
        <input
          id={id}
          class="code"
          list={`${id}-list`}
          spellcheck={false}
          autocomplete="off"
          required
          pattern="/.*"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <datalist id={`${id}-list`}>
          {endpoints.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
        <button type="submit">{text === endpoint ? 'Reload' : 'Connect'}</button>
        {signOut !== undefined && (
          <button type="button" onClick={signOut}>
            Sign out
          </button>
        )}
      </div>
    </form>
  )
}
