import { _, type Ajv2020, type KeywordCxt, Name } from 'ajv/dist/2020.js'
import { Type } from 'ajv/dist/compile/util.js'

/** The variable that counts faults in generated code. */
const faults = new Name('errors')

/**
 * Makes a validator stop at a number of faults in a list; the original would find all, and a list of a million faulty
 * entries would fill the memory.
 */
export function boundItems(ajv: Ajv2020, maxFaults: number) {
  ajv.removeKeyword('items')
  ajv.addKeyword({
    keyword: 'items',
    type: 'array',
    schemaType: ['object', 'boolean'],
    before: 'uniqueItems',
    code(context: KeywordCxt) {
      const { gen, data } = context
      const areValid = gen.let('areValid', true)
      const isValid = gen.name('isValid')
      gen.forRange('index', 0, _`${data}.length`, (index) => {
        context.subschema({ keyword: 'items', dataProp: index, dataPropType: Type.Num }, isValid)
        gen.if(_`!${isValid}`, () => {
          gen.assign(areValid, false)
          gen.if(_`${faults} >= ${maxFaults}`, () => gen.break())
        })
      })
      context.ok(areValid)
    },
  })
}
