/** The answer to `roots/list`. */
import { useId, useState } from 'preact/hooks'
import { JsonTree } from '../elements/json-tree.tsx'
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

/** Ends the form of an answer that a person writes: sends it, or refuses the request. */
export function AnswerButtons({ onRefuse }: Pick<AnswerProps, 'onRefuse'>) {
  return (
    <div class="buttons">
      <button type="submit" class="main">
        Answer
      </button>
      <button type="button" onClick={onRefuse}>
        Refuse and end the call
      </button>
    </div>
  )
}

/** The answer to `sampling/createMessage`, which a person writes in the place of a model. */
export function SamplingAnswer({ params, onAnswer, onRefuse }: AnswerProps) {
  const [text, setText] = useState('')
  const id = useId()
  const submit = (event: Event) => {
    event.preventDefault()
    const content = { type: 'text', text }
    onAnswer({ role: 'assistant', content, model: 'person', stopReason: 'endTurn' })
  }
  return (
    <form onSubmit={submit}>
      <JsonTree value={params} label="the sampling request" depth={5} />
      <div class="field">
        <label for={id}>Answer of the model</label>
        <textarea
          id={id}
          rows={3}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </div>
      <AnswerButtons onRefuse={onRefuse} />
    </form>
  )
}
