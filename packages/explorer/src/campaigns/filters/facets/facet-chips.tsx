import type { ComponentChildren } from 'preact'
import { useContext } from 'preact/hooks'
import { Count } from './facet-boxes.tsx'
import { Counts } from './facet-counts.ts'
import { type FacetOption, optionsOf } from './facet-options.ts'

/** Values of a filter in a line, each with how many campaigns it leaves; any number of them can be chosen. */
export function FacetChips({
  facet,
  name,
  title,
  chosen,
  titleOf,
}: {
  facet: 'token' | 'actionType'
  /** Of the parameter. */
  name: string
  title: string
  chosen: readonly string[]
  titleOf: (option: FacetOption) => ComponentChildren
}) {
  return (
    <ChipLine title={title}>
      {optionsOf(facet, chosen, useContext(Counts)).map((option) => (
        <FilterChip key={option.value} type="checkbox" name={name} option={option}>
          {titleOf(option)}
        </FilterChip>
      ))}
    </ChipLine>
  )
}

/** As high without its chips: nothing moves when they come. Those that do not fit are scrolled to. */
export function ChipLine({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <fieldset class="chip-line">
      <legend>{title}</legend>
      <div>{children}</div>
    </fieldset>
  )
}

/** A value to choose. */
export function FilterChip({
  type,
  name,
  option: { value, count, isChosen },
  children,
}: {
  type: 'checkbox' | 'radio'
  name: string
  option: FacetOption
  children: ComponentChildren
}) {
  return (
    <label class="filter-chip">
      <input type={type} name={name} value={value} checked={isChosen} />
      <span>{children}</span>
      {value !== '' && <Count of={count} />}
    </label>
  )
}
