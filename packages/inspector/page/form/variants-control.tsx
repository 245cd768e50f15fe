/** A value that has one of several forms: a choice, and the control of the chosen form. */
import { useState } from 'preact/hooks'
import { shortened, visible } from '../elements/text.tsx'
import type { ControlProps } from './control-props.ts'
import type { Plan } from './plan.ts'
import { initialOf } from './value.ts'

/** In the place of the number of a variant. */
const NONE = -1

export function VariantsControl({
  plan,
  name,
  path,
  isRequired,
  value,
  onChange,
  attributes,
  Field,
}: ControlProps<Extract<Plan, { kind: 'variants' }>>) {
  const [chosen, setChosen] = useState(isRequired || value !== undefined ? 0 : NONE)
  const variant = plan.variants[chosen]
  const choose = (index: number) => {
    setChosen(index)
    const next = plan.variants[index]
    onChange(next && initialOf(next, true))
  }
  return (
    <div class="nested">
      <select
        {...attributes}
        // The control of the variant has the id of the value.
        id={`${attributes.id}-variant`}
        aria-label={`Form of ${name ?? 'the value'}`}
        value={String(chosen)}
        onChange={({ currentTarget }) => choose(Number(currentTarget.value))}
      >
        {!isRequired && <option value={String(NONE)}>not set</option>}
        {plan.variants.map((each, index) => (
          <option key={labelOf(each, index)} value={String(index)}>
            {visible(shortened(labelOf(each, index), 100))}
          </option>
        ))}
      </select>
      {variant !== undefined && !isFixed(variant) && (
        <Field
          key={chosen}
          plan={variant}
          name={variant.kind === 'group' ? undefined : (variant.title ?? 'value')}
          path={path}
          isRequired
          value={value}
          onChange={onChange}
        />
      )}
    </div>
  )
}

/** A variant with one value, such as null, needs no control. */
function isFixed(plan: Plan): boolean {
  return plan.kind === 'choice' && plan.choices.length === 1
}

function labelOf(plan: Plan, index: number): string {
  if (plan.title !== undefined) return plan.title
  if (plan.kind === 'choice') return plan.choices.map(({ label }) => label).join(', ')
  const members = plan.kind === 'group' ? plan.members.map(({ name }) => name).join(', ') : ''
  return `${index + 1}: ${members === '' ? plan.kind : members}`
}
