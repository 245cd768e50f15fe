/** Selects the person whose state is shown. */
import { useId, useState } from 'preact/hooks'

interface SubjectFormProps {
  /** Empty for everyone who is not signed in. */
  readonly subject: string
  readonly onSubject: (subject: string) => void
}

export function SubjectForm({ subject, onSubject }: SubjectFormProps) {
  const [text, setText] = useState(subject)
  const id = useId()
  const submit = (event: Event) => {
    event.preventDefault()
    onSubject(text.trim())
  }
  return (
    <form class="subject" onSubmit={submit}>
      <label for={id}>Subject</label>
      <div class="toolbar-row">
        <input
          id={id}
          autocomplete="off"
          spellcheck={false}
          placeholder="Everyone who is not signed in"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <button type="submit">Show</button>
      </div>
    </form>
  )
}
