/** The control of one value, with its label, description and problem. */
import type { FunctionComponent } from 'preact'
import { useContext } from 'preact/hooks'
import { SmallButton } from '../elements/small-button.tsx'
import { Paragraph, shortened, Text, visible } from '../elements/text.tsx'
import { BooleanControl, ChoiceControl, ChoicesControl } from './choice-controls.tsx'
import type { ControlProps, FieldProps } from './control-props.ts'
import { FormContext } from './form-context.ts'
import { ListControl } from './list-control.tsx'
import type { Plan } from './plan.ts'
import { JsonControl, NumberControl, TextControl } from './text-controls.tsx'
import { initialOf, pathOf, type Value } from './value.ts'
import { VariantsControl } from './variants-control.tsx'

export function Field(props: FieldProps) {
  const { plan, name, path, isRequired } = props
  const { id: form, problems } = useContext(FormContext)
  const id = `${form}${path}`
  const problem = problems.get(path)
  const hints = hintsOf(plan)
  const attributes = {
    id,
    'aria-describedby': `${id}-text`,
    'aria-invalid': problem !== undefined,
  }
  const isSet = SETS.includes(plan.kind)
  const label = name !== undefined && (
    <>
      <Text max={120}>{plan.title ?? name}</Text>
      {plan.title !== undefined && plan.title !== name && (
        <span class="quiet"> {visible(shortened(name, 120))}</span>
      )}
      {isRequired && <span class="required"> required</span>}
    </>
  )
  const texts = (
    <div id={`${id}-text`}>
      {plan.description !== undefined && (
        <Paragraph class="description" max={1000} text={plan.description} />
      )}
      {hints !== undefined && <Paragraph class="description" isCode max={300} text={hints} />}
      {problem !== undefined && <p class="problem">{problem}</p>}
    </div>
  )
  if (name === undefined && isSet)
    return <Control {...props} Field={Field} attributes={attributes} />
  if (isSet) {
    return (
      <fieldset class="field" aria-describedby={`${id}-text`}>
        <legend>{label}</legend>
        {texts}
        <Control {...props} Field={Field} attributes={attributes} />
      </fieldset>
    )
  }
  return (
    <div class="field">
      <label for={id}>{label === false ? 'Value' : label}</label>
      <Control {...props} Field={Field} attributes={attributes} />
      {texts}
    </div>
  )
}

/** Kinds with several controls, whose label is a legend. */
const SETS: readonly Plan['kind'][] = ['group', 'list', 'choices', 'variants']

type Controls = {
  readonly [K in Plan['kind']]: FunctionComponent<ControlProps<Extract<Plan, { kind: K }>>>
}

const CONTROLS: Controls = {
  text: TextControl,
  number: NumberControl,
  boolean: BooleanControl,
  choice: ChoiceControl,
  choices: ChoicesControl,
  list: ListControl,
  group: GroupControl,
  variants: VariantsControl,
  json: JsonControl,
}

function Control(props: ControlProps) {
  const Kind = CONTROLS[props.plan.kind] as FunctionComponent<ControlProps>
  return <Kind {...props} />
}

function hintsOf(plan: Plan): string | undefined {
  const bounds = (low: number | undefined, high: number | undefined, unit: string) => {
    if (low === undefined && high === undefined) return []
    if (high === undefined) return [`at least ${low}${unit}`]
    return [low === undefined ? `at most ${high}${unit}` : `${low} to ${high}${unit}`]
  }
  const hints =
    plan.kind === 'text'
      ? [
          ...bounds(plan.minLength, plan.maxLength, ' characters'),
          ...(plan.format === undefined ? [] : [plan.format]),
          ...patternOf(plan),
        ]
      : plan.kind === 'number'
        ? [
            ...(plan.isInteger ? ['integer'] : []),
            ...bounds(boundOf(plan.minimum), boundOf(plan.maximum), ''),
          ]
        : plan.kind === 'list' || plan.kind === 'choices'
          ? bounds(plan.minItems, plan.maxItems, ' items')
          : []
  return hints.length === 0 ? undefined : hints.join(', ')
}

/** The pattern that a library adds to a format says what the format already says, in 50 to 200 characters. */
const LONG_PATTERN = 50

function patternOf({ format, pattern }: Extract<Plan, { kind: 'text' }>): readonly string[] {
  if (pattern === undefined) return []
  return format !== undefined && pattern.length > LONG_PATTERN ? [] : [`pattern ${pattern}`]
}

/** Libraries bound integers by those that are exact, which no person needs to read. */
function boundOf(bound: number | undefined): number | undefined {
  return Math.abs(bound ?? 0) >= Number.MAX_SAFE_INTEGER ? undefined : bound
}

type GroupProps = ControlProps<Extract<Plan, { kind: 'group' }>>

/** The members of an object. One that is not required is added first. */
function GroupControl({ plan, name, path, isRequired, value, onChange, Field }: GroupProps) {
  if (value === undefined && !isRequired) {
    return (
      <SmallButton onClick={() => onChange(initialOf(plan, true))}>
        Add<span class="hidden"> {name}</span>
      </SmallButton>
    )
  }
  const members = (value ?? {}) as { readonly [member: string]: Value }
  return (
    <div class={name === undefined ? 'group' : 'group nested'}>
      {plan.members.map((member) => (
        <Field
          key={member.name}
          plan={member.plan}
          name={member.name}
          path={pathOf(path, member.name)}
          isRequired={member.isRequired}
          value={members[member.name]}
          onChange={(next) => onChange({ ...members, [member.name]: next })}
        />
      ))}
      {!isRequired && (
        <SmallButton onClick={() => onChange(undefined)}>
          Remove<span class="hidden"> {name}</span>
        </SmallButton>
      )}
    </div>
  )
}
