/** Controls of values that are chosen. */
import { shortened, visible } from '../elements/text.tsx'
import type { ControlProps } from './control-props.ts'
import type { Plan } from './plan.ts'
import type { Value } from './value.ts'

export function BooleanControl({ isRequired, value, onChange, attributes }: ControlProps) {
  const change = (next: string) => onChange(next === '' ? undefined : next === 'true')
  return (
    <select
      {...attributes}
      value={value === undefined ? '' : String(value)}
      onChange={({ currentTarget }) => change(currentTarget.value)}
    >
      {!isRequired && <option value="">not set</option>}
      <option value="true">true</option>
      <option value="false">false</option>
    </select>
  )
}

type ChoiceProps = ControlProps<Extract<Plan, { kind: 'choice' }>>

export function ChoiceControl({ plan, isRequired, value, onChange, attributes }: ChoiceProps) {
  const { choices } = plan
  const index = choices.findIndex((choice) => isEqual(choice.value, value))
  return (
    <select
      {...attributes}
      required={isRequired}
      value={index === -1 ? '' : String(index)}
      onChange={({ currentTarget: { value: chosen } }) =>
        onChange(chosen === '' ? undefined : choices[Number(chosen)]?.value)
      }
    >
      <option value="">{isRequired ? 'Choose…' : 'not set'}</option>
      {choices.map(({ label }, at) => (
        <option key={label} value={String(at)}>
          {visible(shortened(label, 200))}
        </option>
      ))}
    </select>
  )
}

type ChoicesProps = ControlProps<Extract<Plan, { kind: 'choices' }>>

export function ChoicesControl({ plan, isRequired, value, onChange, attributes }: ChoicesProps) {
  const chosen = Array.isArray(value) ? (value as readonly Value[]) : []
  const isChosen = (item: Value) => chosen.some((each) => isEqual(each, item))
  const toggle = (item: Value) => {
    const next = plan.choices
      .map((choice) => choice.value)
      .filter((each) => isChosen(each) !== isEqual(each, item))
    onChange(next.length === 0 && !isRequired ? undefined : next)
  }
  return (
    <div class="choices">
      {plan.choices.map(({ label, value: item }, index) => (
        <label class="check" key={label}>
          <input
            type="checkbox"
            id={index === 0 ? attributes.id : undefined}
            aria-invalid={attributes['aria-invalid']}
            checked={isChosen(item)}
            onChange={() => toggle(item)}
          />
          <bdi>{visible(shortened(label, 200))}</bdi>
        </label>
      ))}
    </div>
  )
}

function isEqual(left: Value, right: Value): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right)
}
