/**
 * The two indices of air quality in words, in every language of the API: their categories, worst
 * last, and what each advises. The setting INDEX says which one is the headline.
 */
import type { Locale } from '../contract/endpoints.ts';
import type { Band } from '../contract/explore/now.ts';

/** `aqi`: the US EPA's index of PM2.5 and PM10. `eaqi`: the European index, which counts gases. */
export type IndexName = 'aqi' | 'eaqi';

type Texts = Readonly<Record<Locale, string>>;

/**
 * `name` begins with a capital; within a sentence it is written small. `sensitive` is left out where
 * it would repeat the advice for everybody; `whom` names the people where they aren't all who are
 * sensitive.
 */
type Grade = Readonly<{ name: Texts; everybody: Texts; sensitive?: Texts; whom?: Texts }>;

type UsCategory = 'good' | 'moderate' | 'sensitive' | 'unhealthy' | 'very-unhealthy' | 'hazardous';

/** The sentences of the US EPA's guide for particle pollution. */
const US: Readonly<Record<UsCategory, Grade>> = {
  good: {
    name: { en: 'Good', ru: 'Хорошо', hy: 'Լավ' },
    everybody: {
      en: "It's a great day to be active outside.",
      ru: 'Отличный день для активности на улице.',
      hy: 'Հիանալի օր է դրսում ակտիվ լինելու համար։',
    },
  },
  moderate: {
    name: { en: 'Moderate', ru: 'Умеренно', hy: 'Չափավոր' },
    everybody: {
      en: "It's a good day to be active outside.",
      ru: 'Хороший день для активности на улице.',
      hy: 'Լավ օր է դրսում ակտիվ լինելու համար։',
    },
    sensitive: {
      en: 'Consider reducing prolonged or heavy exertion. Watch for symptoms such as coughing or shortness of breath.',
      ru: 'Подумайте о том, чтобы сократить длительные и интенсивные нагрузки. Следите за симптомами (кашель, одышка).',
      hy: 'Մտածեք երկարատև և ծանր ֆիզիկական բեռը կրճատելու մասին։ Հետևեք ախտանիշներին՝ հազին, շնչահեղձությանը։',
    },
    whom: {
      en: 'Unusually sensitive people',
      ru: 'Особо чувствительным людям',
      hy: 'Առանձնապես զգայուն մարդկանց',
    },
  },
  sensitive: {
    name: {
      en: 'Unhealthy for sensitive groups',
      ru: 'Вредно для чувствительных групп',
      hy: 'Վնասակար զգայուն խմբերի համար',
    },
    everybody: {
      en: 'The general public is less likely to be affected.',
      ru: 'На большинство людей это вряд ли повлияет.',
      hy: 'Քիչ հավանական է, որ դա ազդի մարդկանց մեծ մասի վրա։',
    },
    sensitive: {
      en: "Reduce prolonged or heavy exertion. It's OK to be active outside, but take more breaks and do less intense activities.",
      ru: 'Сократите длительные и интенсивные нагрузки. Быть активным на улице можно, но делайте больше перерывов и не перенапрягайтесь.',
      hy: 'Կրճատեք երկարատև և ծանր ֆիզիկական բեռը։ Դրսում ակտիվ լինել կարելի է, բայց ավելի հաճախ ընդմիջումներ արեք և մի գերլարվեք։',
    },
  },
  unhealthy: {
    name: { en: 'Unhealthy', ru: 'Вредно', hy: 'Վնասակար' },
    everybody: {
      en: 'Reduce prolonged or heavy exertion. Take more breaks during outdoor activities.',
      ru: 'Сократите длительные и интенсивные нагрузки. На улице чаще делайте перерывы.',
      hy: 'Կրճատեք երկարատև և ծանր ֆիզիկական բեռը։ Դրսում ավելի հաճախ ընդմիջումներ արեք։',
    },
    sensitive: {
      en: 'Avoid prolonged or heavy exertion. Consider moving activities indoors or rescheduling.',
      ru: 'Избегайте длительных и интенсивных нагрузок. Подумайте, не перенести ли занятия в помещение или на другое время.',
      hy: 'Խուսափեք երկարատև և ծանր ֆիզիկական բեռից։ Մտածեք զբաղմունքները ներս կամ այլ ժամի տեղափոխելու մասին։',
    },
  },
  'very-unhealthy': {
    name: { en: 'Very unhealthy', ru: 'Очень вредно', hy: 'Շատ վնասակար' },
    everybody: {
      en: 'Avoid prolonged or heavy exertion. Consider moving activities indoors or rescheduling to a time when air quality is better.',
      ru: 'Избегайте длительных и интенсивных нагрузок. Подумайте, не перенести ли занятия в помещение или на время, когда воздух будет лучше.',
      hy: 'Խուսափեք երկարատև և ծանր ֆիզիկական բեռից։ Մտածեք զբաղմունքները ներս կամ ավելի մաքուր օդի ժամի տեղափոխելու մասին։',
    },
    sensitive: {
      en: 'Avoid all physical activity outdoors. Move activities indoors or reschedule to a time when air quality is better.',
      ru: 'Избегайте любой физической активности на улице. Перенесите занятия в помещение или на время, когда воздух будет лучше.',
      hy: 'Խուսափեք դրսում ցանկացած ֆիզիկական ակտիվությունից։ Զբաղմունքները տեղափոխեք ներս կամ ավելի մաքուր օդի ժամի։',
    },
  },
  hazardous: {
    name: { en: 'Hazardous', ru: 'Опасно', hy: 'Վտանգավոր' },
    everybody: {
      en: 'Avoid all physical activity outdoors.',
      ru: 'Избегайте любой физической активности на улице.',
      hy: 'Խուսափեք դրսում ցանկացած ֆիզիկական ակտիվությունից։',
    },
    sensitive: {
      en: 'Remain indoors and keep activity levels low. Follow tips for keeping particle levels low indoors.',
      ru: 'Оставайтесь в помещении и избегайте нагрузок. Следуйте советам, как уменьшить количество частиц в помещении.',
      hy: 'Մնացեք ներսում և խուսափեք ֆիզիկական բեռից։ Հետևեք ներսում մասնիկները քիչ պահելու խորհուրդներին։',
    },
  },
};

const AS_USUAL: Texts = {
  en: 'Enjoy your usual outdoor activities.',
  ru: 'На улице можно заниматься всем, чем обычно.',
  hy: 'Դրսում կարող եք զբաղվել այնպես, ինչպես սովորաբար։',
};
const IF_SYMPTOMS: Texts = {
  en: 'Consider reducing intense activities outdoors, if you experience symptoms such as sore eyes, a cough or sore throat.',
  ru: 'Подумайте о том, чтобы сократить интенсивные занятия на улице, если появились симптомы (резь в глазах, кашель, боль в горле).',
  hy: 'Մտածեք դրսում ծանր ֆիզիկական բեռը կրճատելու մասին, եթե ունեք ախտանիշներ (աչքերի այրոց, հազ, կոկորդի ցավ)։',
};

/**
 * The health messages that the EEA gives with its index, for the general population and for
 * sensitive populations: adults and children with respiratory problems, adults with heart
 * conditions.
 */
const EUROPEAN: Readonly<Record<Band, Grade>> = {
  good: {
    name: { en: 'Good', ru: 'Хорошо', hy: 'Լավ' },
    everybody: {
      en: `The air quality is good. ${AS_USUAL.en}`,
      ru: `Качество воздуха хорошее. ${AS_USUAL.ru}`,
      hy: `Օդի որակը լավ է։ ${AS_USUAL.hy}`,
    },
  },
  fair: { name: { en: 'Fair', ru: 'Приемлемо', hy: 'Բավարար' }, everybody: AS_USUAL },
  moderate: {
    name: { en: 'Moderate', ru: 'Умеренно', hy: 'Չափավոր' },
    everybody: AS_USUAL,
    sensitive: {
      en: 'Consider reducing intense outdoor activities, if you experience symptoms.',
      ru: 'Подумайте о том, чтобы сократить интенсивные занятия на улице, если появились симптомы.',
      hy: 'Մտածեք դրսում ծանր ֆիզիկական բեռը կրճատելու մասին, եթե ունեք ախտանիշներ։',
    },
  },
  poor: {
    name: { en: 'Poor', ru: 'Плохо', hy: 'Վատ' },
    everybody: IF_SYMPTOMS,
    sensitive: {
      en: 'Consider reducing physical activities, particularly outdoors, especially if you experience symptoms.',
      ru: 'Подумайте о том, чтобы сократить физическую активность, прежде всего на улице и особенно при симптомах.',
      hy: 'Մտածեք ֆիզիկական ակտիվությունը կրճատելու մասին, առաջին հերթին՝ դրսում, հատկապես եթե ունեք ախտանիշներ։',
    },
  },
  'very poor': {
    name: { en: 'Very poor', ru: 'Очень плохо', hy: 'Շատ վատ' },
    everybody: IF_SYMPTOMS,
    sensitive: {
      en: 'Reduce physical activities, particularly outdoors, especially if you experience symptoms.',
      ru: 'Сократите физическую активность, прежде всего на улице и особенно при симптомах.',
      hy: 'Կրճատեք ֆիզիկական ակտիվությունը, առաջին հերթին՝ դրսում, հատկապես եթե ունեք ախտանիշներ։',
    },
  },
  'extremely poor': {
    name: { en: 'Extremely poor', ru: 'Крайне плохо', hy: 'Ծայրահեղ վատ' },
    everybody: {
      en: 'Reduce physical activities outdoors.',
      ru: 'Сократите физическую активность на улице.',
      hy: 'Կրճատեք ֆիզիկական ակտիվությունը դրսում։',
    },
    sensitive: {
      en: 'Avoid physical activities outdoors.',
      ru: 'Избегайте физической активности на улице.',
      hy: 'Խուսափեք դրսում ֆիզիկական ակտիվությունից։',
    },
  },
};

/** `short`: the name beside a category; `source`: where the advice is from. */
export const INDEX_WORDS = {
  aqi: {
    name: {
      en: 'US EPA index of PM2.5 and PM10',
      ru: 'Индекс US EPA по PM2.5 и PM10',
      hy: 'US EPA ինդեքս՝ ըստ PM2.5-ի և PM10-ի',
    },
    short: { en: 'US index', ru: 'Индекс США', hy: 'ԱՄՆ-ի ինդեքս' },
    grades: US,
    source: {
      url: 'https://www.airnow.gov/publications/air-quality-guides/air-quality-guide-for-particle-pollution/',
      text: {
        en: 'Advice of the US EPA for this category',
        ru: 'Совет US EPA для этой категории',
        hy: 'US EPA-ի խորհուրդն այս կատեգորիայի համար',
      },
    },
  },
  eaqi: {
    name: {
      en: 'European index of particles and gases',
      ru: 'Европейский индекс по частицам и газам',
      hy: 'Եվրոպական ինդեքս՝ ըստ մասնիկների և գազերի',
    },
    short: { en: 'European index', ru: 'Европейский индекс', hy: 'Եվրոպական ինդեքս' },
    grades: EUROPEAN,
    source: {
      url: 'https://airindex.eea.europa.eu/AQI/index.html',
      text: {
        en: 'Advice of the European Environment Agency for this category',
        ru: 'Совет Европейского агентства по окружающей среде для этой категории',
        hy: 'Եվրոպական շրջակա միջավայրի գործակալության խորհուրդն այս կատեգորիայի համար',
      },
    },
  },
} as const;

const EVERYBODY: Texts = { en: 'Everybody', ru: 'Всем', hy: 'Բոլորին' };
const SENSITIVE: Texts = {
  en: 'Sensitive groups',
  ru: 'Чувствительным группам',
  hy: 'Զգայուն խմբերին',
};

/** What a category advises, with the people whom it concerns. Empty for what is no category. */
export function adviceFor(
  locale: Locale,
  index: IndexName,
  category: string,
): readonly { whom: string; advice: string }[] {
  const grades: Readonly<Record<string, Grade>> = INDEX_WORDS[index].grades;
  const grade = grades[category];
  if (grade === undefined) return [];
  const { everybody, sensitive, whom = SENSITIVE } = grade;
  const forAll = { whom: EVERYBODY[locale], advice: everybody[locale] };
  return sensitive === undefined
    ? [forAll]
    : [forAll, { whom: whom[locale], advice: sensitive[locale] }];
}
