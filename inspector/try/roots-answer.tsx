/** The answer to `roots/list`. */
import { useId, useState } from 'preact/hooks'
import { AnswerButtons } from './answer-buttons.tsx'
import type { AnswerProps } from './ask.ts'

export function RootsAnswer({ onAnswer, onRefuse }: AnswerProps) {
  const [text, setText] = useState('file:///project')
  const id = useId()
  const submit = (event: Event) => {
    event.preventDefault()
    const uris = text.split('\n').map((line) => line.trim())
    onAnswer({ roots: uris.filter((uri) => uri !== '').map((uri) => ({ uri })) })
  }
  return (
    <form onSubmit={submit}>
      <div class="field">
        <label for={id}>Roots</label>
        <textarea
          id={id}
          rows={3}
          spellcheck={false}
          aria-describedby={`${id}-text`}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <p class="description" id={`${id}-text`}>
          One file: URI a line. The page has no files: it sends what you write.
        </p>
      </div>
      <AnswerButtons onRefuse={onRefuse} />
    </form>
  )
}
