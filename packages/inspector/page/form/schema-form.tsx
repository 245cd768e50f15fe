/** A form made from a JSON Schema, which can also be filled in as JSON. */
import type { ComponentChildren } from 'preact'
import { useId, useMemo, useRef, useState } from 'preact/hooks'
import { Field } from './field.tsx'
import { FormContext } from './form-context.ts'
import { type Plan, planOf } from './plan.ts'
import { type Json, recordOf, type Schema } from './schema.ts'
import { initialOf, type Problems, problemsOf, sentOf, type Value } from './value.ts'

interface SchemaFormProps {
  readonly schema: Schema
  /** The text of the button that submits. */
  readonly action: string
  readonly disabled?: boolean
  /** What the form begins with, as JSON. Undefined: the defaults of the schema. */
  readonly entered?: Json | undefined
  readonly onSubmit: (value: Json) => void
  /** Further buttons. */
  readonly children?: ComponentChildren
}

const NO_PROBLEMS: Problems = new Map()

export function SchemaForm({
  schema,
  action,
  disabled = false,
  entered,
  onSubmit,
  children,
}: SchemaFormProps) {
  const plan = useMemo(() => planOf(schema), [schema])
  const [value, setValue] = useState(() => startOf(plan, entered))
  const [problems, setProblems] = useState(NO_PROBLEMS)
  /** The text of the JSON form; undefined while the controls are shown. */
  const [text, setText] = useState<string>()
  const form = useRef<HTMLFormElement>(null)
  const id = useId()

  const submit = (event: Event) => {
    event.preventDefault()
    const found = text === undefined ? problemsOf(plan, value) : problemsOfText(text)
    setProblems(found)
    if (found.size === 0) {
      onSubmit(text === undefined ? (sentOf(value) ?? {}) : (JSON.parse(text) as Json))
      return
    }
    // The first control that needs a change, once it is marked.
    setTimeout(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
  }
  /** After the first attempt, a problem disappears as soon as it is solved. */
  const change = (next: Value) => {
    setValue(() => next)
    if (problems.size > 0) setProblems(problemsOf(plan, next))
  }
  const toggle = () => {
    setProblems(NO_PROBLEMS)
    setText(text === undefined ? JSON.stringify(sentOf(value) ?? {}, null, 2) : undefined)
  }
  const isEmpty = plan.kind === 'group' && plan.members.length === 0
  return (
    <form class="schema-form" ref={form} onSubmit={submit} noValidate>
      <FormContext.Provider value={{ id, problems }}>
        {text !== undefined ? (
          <JsonText text={text} problem={problems.get('')} onText={setText} id={id} />
        ) : isEmpty ? (
          <p class="quiet">No arguments.</p>
        ) : (
          <Field plan={plan} name={undefined} path="" isRequired value={value} onChange={change} />
        )}
      </FormContext.Provider>
      <div class="buttons">
        <button type="submit" class="main" disabled={disabled}>
          {action}
        </button>
        {children}
        <button type="button" class="plain" aria-pressed={text !== undefined} onClick={toggle}>
          Edit as JSON
        </button>
      </div>
    </form>
  )
}

/** What was entered, and an empty control for each member that was not. */
function startOf(plan: Plan, entered: Json | undefined): Value {
  const initial = initialOf(plan, true)
  const [all, own] = [recordOf(initial), recordOf(entered)]
  return all === undefined || own === undefined ? initial : ({ ...all, ...own } as Value)
}

function problemsOfText(text: string): Problems {
  try {
    JSON.parse(text)
    return NO_PROBLEMS
  } catch (error) {
    return new Map([['', `This is not JSON: ${error instanceof Error ? error.message : ''}`]])
  }
}

interface JsonTextProps {
  readonly text: string
  readonly problem: string | undefined
  readonly onText: (text: string) => void
  readonly id: string
}

function JsonText({ text, problem, onText, id }: JsonTextProps) {
  return (
    <div class="field">
      <label for={`${id}-json`}>JSON</label>
      <textarea
        id={`${id}-json`}
        rows={10}
        spellcheck={false}
        value={text}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-json-problem`}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
      <p class="problem" id={`${id}-json-problem`}>
        {problem}
      </p>
    </div>
  )
}
