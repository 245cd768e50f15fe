/** The items of an array. */
import { SmallButton } from '../elements/small-button.tsx'
import type { ControlProps } from './control-props.ts'
import type { Plan } from './plan.ts'
import { initialOf, pathOf, type Value } from './value.ts'

export function ListControl({
  plan,
  path,
  isRequired,
  value,
  onChange,
  attributes,
  Field,
}: ControlProps<Extract<Plan, { kind: 'list' }>>) {
  const items = Array.isArray(value) ? (value as readonly Value[]) : []
  const change = (next: readonly Value[]) =>
    onChange(next.length === 0 && !isRequired ? undefined : next)
  return (
    <div class="nested">
      {items.map((item, index) => (
        <div class="list-item" key={index}>
          <Field
            plan={plan.item}
            name={`${index + 1}`}
            path={pathOf(path, index)}
            isRequired
            value={item}
            onChange={(next) => change(items.with(index, next))}
          />
          <SmallButton onClick={() => change(items.toSpliced(index, 1))}>
            Remove<span class="hidden"> item {index + 1}</span>
          </SmallButton>
        </div>
      ))}
      <SmallButton
        id={attributes.id}
        onClick={() => change([...items, initialOf(plan.item, true)])}
      >
        Add an item
      </SmallButton>
    </div>
  )
}
