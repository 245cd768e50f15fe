/** The answers to `roots/list` and `sampling/createMessage`, which a person writes in the place of a client and its model. */
import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { JsonTree } from '../elements/json-tree.tsx'
import type { AnswerProps } from './ask.ts'

export function RootsAnswer({ onAnswer, onRefuse }: AnswerProps) {
  const answer = (text: string) => {
    const uris = text.split('\n').map((line) => line.trim())
    onAnswer({ roots: uris.filter((uri) => uri !== '').map((uri) => ({ uri })) })
  }
  return (
    <TextAnswer
      label="Roots"
      initial="file:///project"
      description="One file: URI a line. The page has no files: it sends what you write."
      onText={answer}
      onRefuse={onRefuse}
    />
  )
}

export function SamplingAnswer({ params, onAnswer, onRefuse }: AnswerProps) {
  const answer = (text: string) => {
    const content = { type: 'text', text }
    onAnswer({ role: 'assistant', content, model: 'person', stopReason: 'endTurn' })
  }
  return (
    <TextAnswer label="Answer of the model" onText={answer} onRefuse={onRefuse}>
      <JsonTree value={params} label="the sampling request" depth={5} />
    </TextAnswer>
  )
}

interface TextAnswerProps extends Pick<AnswerProps, 'onRefuse'> {
  readonly label: string
  readonly initial?: string
  readonly description?: string
  readonly onText: (text: string) => void
  /** Shown above the text. */
  readonly children?: ComponentChildren
}

function TextAnswer(props: TextAnswerProps) {
  const { label, initial = '', description, onText, onRefuse, children } = props
  const [text, setText] = useState(initial)
  const id = useId()
  const submit = (event: Event) => {
    event.preventDefault()
    onText(text)
  }
  return (
    <form onSubmit={submit}>
      {children}
      <div class="field">
        <label for={id}>{label}</label>
        <textarea
          id={id}
          rows={3}
          // Only roots have a description: URIs are no prose.
          spellcheck={description === undefined ? undefined : false}
          aria-describedby={description && `${id}-text`}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        {description !== undefined && (
          <p class="description" id={`${id}-text`}>
            {description}
          </p>
        )}
      </div>
      <div class="buttons">
        <button type="submit" class="main">
          Answer
        </button>
        <button type="button" onClick={onRefuse}>
          Refuse and end the call
        </button>
      </div>
    </form>
  )
}
