/** The answer to `sampling/createMessage`, which a person writes in the place of a model. */
import { useId, useState } from 'preact/hooks'
import { JsonTree } from '../elements/json-tree.tsx'
import { AnswerButtons } from './answer-buttons.tsx'
import type { AnswerProps } from './ask.ts'

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
