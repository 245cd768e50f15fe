/** One event type: its description, its schemas, and in development one event by hand. */
import { useId, useState } from 'preact/hooks'
import type { EventDescriptor } from '../../../../src/protocol/events.ts'
import { JsonTree } from '../elements/json-tree.tsx'
import { Notice } from '../elements/notice.tsx'
import { Code, Paragraph } from '../elements/text.tsx'
import { type Json, recordOf } from '../form/schema.ts'
import { SchemaForm } from '../form/schema-form.tsx'
import { emit } from './emit.ts'

interface EventTypeCardProps {
  readonly type: EventDescriptor
  /** In development. */
  readonly canEmit: boolean
}

export function EventTypeCard({ type, canEmit }: EventTypeCardProps) {
  const { name, description, delivery, inputSchema, payloadSchema } = type
  return (
    <article class="card">
      <header class="card-head">
        <h3>
          <Code max={130}>{name}</Code>
        </h3>
        <ul class="hints" aria-label="Ways of delivery">
          {delivery.map((mode) => (
            <li key={mode} class="badge">
              {mode}
            </li>
          ))}
        </ul>
      </header>
      <Paragraph max={8000} text={description} />
      <details>
        <summary>Schemas</summary>
        <h4>Arguments of a subscription</h4>
        <JsonTree value={inputSchema} label={`the arguments of ${name}`} depth={2} />
        <h4>Data</h4>
        <JsonTree value={payloadSchema} label={`the data of ${name}`} depth={2} />
      </details>
      {canEmit && <EmitForm name={name} schema={payloadSchema} />}
    </article>
  )
}

type Outcome = { readonly eventId: string } | { readonly problem: string }

function EmitForm({ name, schema }: { readonly name: string; readonly schema: unknown }) {
  const [subject, setSubject] = useState('')
  const [outcome, setOutcome] = useState<Outcome>()
  const [isActive, setActive] = useState(false)
  const id = useId()
  const submit = async (data: Json) => {
    setActive(true)
    setOutcome(await emit(name, data, subject.trim()))
    setActive(false)
  }
  return (
    <details>
      <summary>Emit one</summary>
      <div class="field">
        <label for={id}>
          Subject <span class="quiet">whom it concerns; empty: everyone</span>
        </label>
        <input
          id={id}
          autocomplete="off"
          spellcheck={false}
          value={subject}
          onInput={({ currentTarget }) => setSubject(currentTarget.value)}
        />
      </div>
      <SchemaForm
        schema={recordOf(schema) ?? { type: 'object' }}
        action="Emit"
        disabled={isActive}
        onSubmit={(data) => void submit(data)}
      />
      <div role="status">
        {outcome !== undefined &&
          ('eventId' in outcome ? (
            <Notice kind="good" title="Stored">
              <Paragraph isCode max={130} text={outcome.eventId} />
            </Notice>
          ) : (
            <Notice kind="bad" title="Not stored">
              <Paragraph text={outcome.problem} />
            </Notice>
          ))}
      </div>
    </details>
  )
}
