// Warnings against fraud: sentences whose subject is the fraudsters. `Scammers promise guaranteed returns` cancels what it
// describes. `beware of scammers` and `scammers never sleep` cancel nothing, because fraud says that too. Four languages.

const each = (who: string, does: string, turned = false): string => {
  const words = (text: string): readonly string[] => text.split(/\s+/)
  return words(who)
    .flatMap((one) => words(does).flatMap((act) => (turned ? [`${one}_${act}`, `${act}_${one}`] : [`${one}_${act}`])))
    .join(' ')
}

export const WARNINGS = [
  each(
    'scammers scammer fraudsters fraudster criminals crooks con_artists',
    `pretend pretending promise promising ask asking claim claiming say tell call send pose posing offer offering write try use
    impersonate want often who may will sometimes are_asking are_sending are_calling are_pretending are_offering`,
  ),
  each(
    'betruger kriminelle gauner',
    `geben versprechen rufen behaupten fordern bitten verschicken versenden schreiben nutzen versuchen drohen bieten melden
    verlangen locken sich`,
    true,
  ),
  each(
    'escrocs fraudeurs arnaqueurs malfaiteurs',
    `se promettent pretendent demandent qui envoient appellent disent proposent vous menacent usurpent exigent reclament`,
  ),
  each(
    'estafadores timadores delincuentes defraudadores',
    `se prometen piden que envian llaman dicen ofrecen fingen amenazan exigen le les suplantan`,
  ),
].join(' ')
