/** Answers to `elicitation/create`: a form, or an address to open. */
import { isWebUrl } from '../elements/link.tsx'
import { Code, Paragraph } from '../elements/text.tsx'
import { recordOf } from '../form/schema.ts'
import { SchemaForm } from '../form/schema-form.tsx'
import type { AnswerProps } from './ask.ts'

export function FormElicitation({ params, onAnswer }: AnswerProps) {
  return (
    <>
      <Question text={params.message} />
      <SchemaForm
        schema={recordOf(params.requestedSchema) ?? { type: 'object' }}
        action="Accept"
        onSubmit={(content) => onAnswer({ action: 'accept', content })}
      >
        <Refusals onAnswer={onAnswer} />
      </SchemaForm>
    </>
  )
}

/** The address is shown whole, and is opened only by its button. */
export function UrlElicitation({ params, onAnswer }: AnswerProps) {
  const url = String(params.url)
  const isWeb = isWebUrl(url)
  const open = () => {
    window.open(url, '_blank', 'noopener,noreferrer')
    onAnswer({ action: 'accept' })
  }
  return (
    <>
      <Question text={params.message} />
      <Paragraph class="url" isCode text={url} />
      <p class="quiet">
        {isWeb ? (
          <>
            Open it only if you trust <Code max={200}>{new URL(url).host}</Code>.
          </>
        ) : (
          'This is no web address, and is not opened.'
        )}
      </p>
      <div class="buttons">
        {isWeb && (
          <button type="button" class="main" onClick={open}>
            Open in a new tab
          </button>
        )}
        <Refusals onAnswer={onAnswer} />
      </div>
    </>
  )
}

function Question({ text }: { readonly text: unknown }) {
  return <Paragraph class="question" text={String(text ?? '')} />
}

function Refusals({ onAnswer }: Pick<AnswerProps, 'onAnswer'>) {
  return (
    <>
      <button type="button" onClick={() => onAnswer({ action: 'decline' })}>
        Decline
      </button>
      <button type="button" onClick={() => onAnswer({ action: 'cancel' })}>
        Dismiss
      </button>
    </>
  )
}
