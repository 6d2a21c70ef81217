"""The words and concepts of the captions.

A phrase is (text, concepts). ``{side}`` becomes the side of the finding; a concept written ``left|right``
is chosen by that side. The same finding is named at several levels on purpose (pleural effusion,
hydrothorax, pleural disease): near in the graph, yet not the same concept.
"""

from __future__ import annotations

Phrase = tuple[str, str]

SIDED = {
    "lung": "C0225730|C0225706",
    "upper lobe": "C1261076|C1261074",
    "lower lobe": "C1261077|C1261075",
    "kidney": "C0227614|C0227613",
    "breast": "C0222601|C0222600",
    "ventricle": "C0228161|C0228160",
}

OPENERS: dict[str, tuple[Phrase, ...]] = {
    "chest pa": (
        ("Chest radiograph showing", "C0039985"),
        ("Plain x-ray of the chest with", "C1306645 C0817096"),
        ("Frontal chest X-ray demonstrating", "C0039985 C0817096"),
        ("Plain radiograph of the thorax:", "C1306645 C0817096"),
        ("Erect chest film revealing", "C0039985"),
    ),
    "chest ap": (
        ("Portable chest radiograph showing", "C0039985"),
        ("Supine chest X-ray with", "C0039985 C0817096"),
        ("Bedside plain x-ray of the chest demonstrating", "C1306645 C0817096"),
    ),
    "chest lateral": (
        ("Lateral chest radiograph showing", "C0039985"),
        ("Lateral plain x-ray of the thorax with", "C1306645 C0817096"),
    ),
    "brain mri t1": (
        ("Axial T1-weighted MRI of the brain after contrast showing", "C0024485 C0006104"),
        ("Contrast-enhanced magnetic resonance imaging of the head with", "C0024485 C0018670"),
        ("T1-weighted axial MR image demonstrating", "C0024485"),
    ),
    "brain mri t2": (
        ("Axial T2-weighted MRI of the brain showing", "C0024485 C0006104"),
        ("T2-weighted magnetic resonance image of the head with", "C0024485 C0018670"),
        ("Axial T2 MR image of the cerebrum demonstrating", "C0024485 C0242202"),
    ),
    "brain mri flair": (
        ("Axial FLAIR MRI of the brain showing", "C0024485 C0006104"),
        ("FLAIR magnetic resonance image of the cerebrum with", "C0024485 C0242202"),
    ),
    "head ct axial": (
        ("Axial non-contrast CT of the head showing", "C0040405 C0018670"),
        ("Computed tomography of the brain demonstrating", "C0040405 C0006104"),
        ("Unenhanced head CT with", "C0040405 C0018670"),
    ),
    "abdomen ct liver": (
        ("Axial contrast-enhanced CT of the upper abdomen showing", "C0040405 C0000726"),
        ("Computed tomography of the abdomen with", "C0040405 C0000726"),
        ("Portal venous phase CT at the level of the liver demonstrating", "C0040405 C0023884"),
    ),
    "abdomen ct kidney": (
        ("Axial abdominal CT at the level of the kidneys showing", "C0040405 C0022646"),
        ("Contrast-enhanced computed tomography of the abdomen with", "C0040405 C0000726"),
        ("Axial CT image demonstrating", "C0040405"),
    ),
    "ultrasound gallbladder": (
        ("Ultrasound of the gallbladder showing", "C0041618 C0016976"),
        ("Abdominal ultrasonography with", "C0041618 C0000726"),
        ("Longitudinal sonogram of the right upper abdomen demonstrating", "C0041618 C0016976"),
    ),
    "ultrasound kidney": (
        ("Renal ultrasound showing", "C0041618 C0022646"),
        ("Longitudinal ultrasonography of the {side} kidney with", "C0041618 " + SIDED["kidney"]),
        ("Sonogram of the {side} flank demonstrating", "C0041618 " + SIDED["kidney"]),
    ),
    "ultrasound liver": (
        ("Ultrasound of the liver showing", "C0041618 C0023884"),
        ("Subcostal ultrasonography of the right hepatic lobe with", "C0041618 C0227481"),
        ("Transverse sonogram of the upper abdomen demonstrating", "C0041618 C0000726 C0023884"),
    ),
    "bone hand": (
        ("Plain radiograph of the {side} hand showing", "C1306645 C0018563"),
        ("Postero-anterior X-ray of the {side} hand with", "C1306645 C0018563"),
    ),
    "bone forearm": (
        ("Plain x-ray of the {side} forearm showing", "C1306645 C0016536"),
        ("Radiograph of the {side} upper extremity with", "C1306645 C1140618"),
    ),
    "bone leg": (
        ("Plain x-ray of the {side} lower leg showing", "C1306645 C1140621"),
        ("Radiograph of the {side} lower extremity with", "C1306645 C0023216"),
    ),
    "mammography mlo": (
        ("Mediolateral oblique mammogram of the {side} breast showing", "C0024671 " + SIDED["breast"]),
        ("Mammography of the {side} breast with", "C0024671 C0006141"),
    ),
}

FINDINGS: dict[str, tuple[Phrase, ...]] = {
    "chest effusion": (
        ("a {side} pleural effusion with a meniscus along the chest wall", "C0032227"),
        ("{side}-sided hydrothorax obscuring the hemidiaphragm", "C0020312"),
        (
            "blunting of the {side} costophrenic angle by a pleural effusion above the {side} lower lobe",
            "C0032227 " + SIDED["lower lobe"],
        ),
        (
            "{side} pleural disease with fluid in the lower zone of the {side} lung",
            "C0032226 " + SIDED["lung"],
        ),
        ("a {side} haemothorax filling the lower hemithorax", "C0019123 C0032225"),
    ),
    "chest effusion both": (
        ("bilateral pleural effusions", "C0747635"),
        ("pleural effusion on both sides, with both hemidiaphragms obscured", "C0032227 C0011980"),
    ),
    "chest pneumothorax": (
        ("a {side} pneumothorax with a visible pleural line", "C0032326 C0032225"),
        ("{side} tension pneumothorax and partial collapse of the {side} lung", "C0264558 " + SIDED["lung"]),
        ("free air around the {side} lung consistent with pneumothorax", "C0032326 C0024109"),
        ("{side} apical pneumothorax", "C0032326"),
    ),
    "chest cardiomegaly": (
        ("cardiomegaly with an enlarged left ventricle", "C0018800 C0225897"),
        ("an enlarged cardiac silhouette in dilated cardiomyopathy", "C0007193 C0018787"),
        ("marked cardiomegaly", "C0018800 C0018787"),
        ("an enlarged heart in known heart disease", "C0018799 C0018787"),
    ),
    "chest nodule": (
        ("a solitary nodule in the {side} lung", "C0034079 " + SIDED["lung"]),
        ("a well-defined coin lesion of the {side} lung", "C0009250 " + SIDED["lung"]),
        ("a small lung nodule in the {side} mid zone", "C0034079 C0024109"),
        ("a small rounded lung lesion proven to be a hamartoma", "C0149927 C0024109"),
    ),
    "chest mass": (
        ("a large mass in the {side} lung suspicious for lung carcinoma", "C0684249 " + SIDED["lung"]),
        ("a lobulated {side} lung neoplasm", "C0024121 C0024109"),
        ("a malignant neoplasm of the {side} lung", "C0242379 " + SIDED["lung"]),
    ),
    "chest consolidation": (
        ("patchy consolidation with air bronchograms in the {side} lung", "C0521530 " + SIDED["lung"]),
        ("{side}-sided pneumonia", "C0032285 C0024109"),
        ("bacterial pneumonia of the {side} lung", "C0004626 " + SIDED["lung"]),
        ("{side} bronchopneumonia with ill-defined opacities", "C0006285 C0024109"),
        ("pneumonitis affecting the {side} lung", "C3714636 " + SIDED["lung"]),
        ("consolidation of the {side} lung in pneumonia", "C0521530 C0032285 " + SIDED["lung"]),
    ),
    "chest rib fracture": (
        ("displaced {side} rib fractures", "C0035522 C0035561"),
        ("fractures of several {side} ribs", "C0016658 C0035561"),
    ),
    "brain mri glioma": (
        ("a glioma of the {side} hemisphere with surrounding oedema", "C0017638 C0006114"),
        ("a glioblastoma with a necrotic centre in the {side} frontal lobe", "C0017636 C0016733"),
        ("a {side}-sided brain neoplasm with mass effect", "C0006118 C0228174"),
        ("an astrocytoma of the {side} frontal lobe", "C0004114 C0016733"),
    ),
    "brain mri meningioma": (
        ("a homogeneous extra-axial meningioma on the {side}", "C0025286 C0025285"),
        ("an intracranial meningioma over the {side} convexity", "C0349604"),
        ("a {side} dural-based meningeal neoplasm", "C0025284 C0025285"),
    ),
    "brain mri hydrocephalus": (
        ("hydrocephalus with enlarged lateral ventricles", "C0020255 C0152279"),
        ("marked dilatation of the cerebral ventricles in hydrocephalus", "C0020255 C0007799"),
    ),
    "brain mri cyst": (
        ("an arachnoid cyst on the {side} side", "C0078981"),
        ("a {side} central nervous system cyst displacing the temporal lobe", "C0349606 C0039485"),
    ),
    "brain mri infarct": (
        ("a {side} cerebral infarction", "C0007785 C0228174"),
        ("an area of brain infarction in the {side} hemisphere", "C0751955 C0228174"),
        ("{side} cortical signal change after stroke", "C0038454"),
    ),
    "brain mri white matter lesions": (
        ("periventricular lesions of multiple sclerosis beside the lateral ventricles", "C0026769 C0152279"),
        ("multiple white matter lesions of demyelinating disease", "C0011303"),
    ),
    "head ct cerebral haemorrhage": (
        ("an acute {side} cerebral haemorrhage", "C2937358 C0228174"),
        ("a hyperdense {side} intracranial haemorrhage with a rim of oedema", "C0151699 C0006114"),
        ("a deep {side} intracerebral haematoma compressing the ventricle", "C2937358 C0018944 C0152279"),
    ),
    "head ct subdural haematoma": (
        ("a crescent-shaped {side} subdural haematoma", "C0018946"),
        ("a {side} subdural haematoma with midline shift", "C0018946 C0228174"),
        ("a {side} convexity haematoma with effaced sulci", "C0018944 C0228174"),
    ),
    "head ct epidural haematoma": (
        ("a lens-shaped {side} epidural haematoma", "C0877172 C0037303"),
        ("a biconvex {side} extra-axial intracranial haemorrhage", "C0151699 C0037303"),
    ),
    "head ct infarct": (
        ("a low-density {side} cerebral infarction", "C0007785 C0228174"),
        ("{side} brain ischemia in the middle cerebral territory", "C0007786"),
    ),
    "abdomen ct liver mass": (
        ("a hepatocellular carcinoma in the right lobe of the liver", "C2239176 C0227481"),
        ("a hypodense liver neoplasm", "C0023903"),
        ("metastasis to the liver", "C0494165 C0023884"),
        ("a haemangioma of the right hepatic lobe", "C0238246 C0227481"),
        ("a primary malignant tumour of the liver", "C0345904 C0023884"),
    ),
    "abdomen ct liver cyst": (
        ("a simple hepatic cyst", "C0267834 C0023884"),
        ("a well-defined water-density cyst in the right lobe of the liver", "C0010709 C0227481"),
        ("a cystic liver disease with a dominant cyst", "C0023895 C0010709"),
    ),
    "abdomen ct splenomegaly": (
        ("splenomegaly", "C0038002 C0037993"),
        ("a splenic disease with an enlarged spleen", "C0037997 C0037993"),
    ),
    "abdomen ct ascites": (
        ("ascites around the liver and spleen", "C0003962 C0023884 C0037993"),
        ("free fluid in peritoneal disease", "C0031142 C0031153"),
    ),
    "abdomen ct renal cyst": (
        ("a {side} renal cyst", "C3887499 " + SIDED["kidney"]),
        ("cystic disease of the {side} kidney", "C1691228 C0022646"),
        ("an exophytic cyst of the {side} kidney", "C0010709 " + SIDED["kidney"]),
    ),
    "abdomen ct kidney stone": (
        ("a calculus in the {side} kidney", "C0022650 " + SIDED["kidney"]),
        ("{side} nephrolithiasis", "C0156257 C0022646"),
        ("urolithiasis with a dense {side} renal stone", "C0451641 C0227666"),
    ),
    "abdomen ct hydronephrosis": (
        ("{side} hydronephrosis", "C0020295 " + SIDED["kidney"]),
        ("obstructive uropathy with a dilated {side} renal pelvis", "C0178879 C0227666"),
        ("a dilated collecting system of the {side} kidney in hydronephrosis", "C0020295 C0227666"),
    ),
    "abdomen ct renal mass": (
        ("a renal cell carcinoma of the {side} kidney", "C0007134 " + SIDED["kidney"]),
        ("a solid {side} kidney neoplasm", "C0022665 C0022646"),
    ),
    "abdomen ct aortic aneurysm": (
        ("an abdominal aortic aneurysm with mural thrombus", "C0162871 C0003484"),
        ("an aortic aneurysm", "C0003486 C0003483"),
        ("an aneurysm of the abdominal aorta", "C0002940 C0003484"),
    ),
    "ultrasound gallstones": (
        ("gallstones with acoustic shadowing", "C0242216"),
        ("cholecystolithiasis", "C0947622"),
        ("echogenic foci of cholelithiasis casting a shadow", "C0006739"),
        ("a gallstone in cholecystitis", "C0242216 C0008325"),
    ),
    "ultrasound renal cyst": (
        ("an anechoic renal cyst with posterior enhancement", "C3887499"),
        ("a simple cyst of the {side} kidney", "C0010709 " + SIDED["kidney"]),
        ("cystic kidney disease", "C1691228"),
    ),
    "ultrasound hydronephrosis": (
        ("hydronephrosis", "C0020295"),
        ("dilatation of the {side} renal pelvis in obstructive uropathy", "C0178879 C0227666"),
        ("moderate {side} hydronephrosis", "C0020295 " + SIDED["kidney"]),
    ),
    "ultrasound kidney stone": (
        ("a kidney calculus with posterior shadow", "C0022650"),
        ("nephrolithiasis of the {side} kidney", "C0156257"),
        ("urolithiasis with an echogenic {side} renal focus", "C0451641 " + SIDED["kidney"]),
    ),
    "ultrasound liver cyst": (
        ("an anechoic hepatic cyst", "C0267834"),
        ("a thin-walled cyst", "C0010709"),
        ("a simple cyst in liver disease", "C0023895 C0010709"),
    ),
    "ultrasound liver mass": (
        ("a hyperechoic haemangioma of the liver", "C0238246"),
        ("an echogenic liver neoplasm", "C0023903"),
        ("a haemangioma", "C0018916"),
    ),
    "ultrasound ascites": (("ascites between liver and diaphragm", "C0003962 C0011980"),),
    "bone metacarpal fracture": (
        ("a fracture of the fifth metacarpal bone", "C0016658 C0025526"),
        ("a displaced metacarpal fracture", "C0016658 C0448064"),
    ),
    "bone radius fracture": (
        ("a fracture of the radius", "C0034628 C0034627"),
        ("a displaced fracture of the radial shaft", "C0016658 C0034627"),
        ("a radius fracture with angulation", "C0034628 C0003793"),
    ),
    "bone tibia fracture": (
        ("a fracture of the tibial shaft", "C0040185 C0040184"),
        ("a displaced fracture of the tibia", "C0016658 C0040184"),
        ("a tibial fracture beside an intact fibula", "C0040185 C0016068"),
    ),
    "mammography spiculated mass": (
        ("a spiculated mass diagnosed as breast carcinoma", "C0678222"),
        ("a malignant neoplasm of the breast", "C0006142"),
    ),
    "mammography round mass": (
        ("a well-defined fibroadenoma", "C0206650"),
        ("a rounded breast neoplasm", "C1458155"),
    ),
    "mammography breast calcification": (("clustered microcalcifications", "C0520594"),),
}

NORMAL: dict[str, tuple[Phrase, ...]] = {
    "chest pa": (
        ("clear lungs and a normal heart", "C0024109 C0018787"),
        ("no abnormality of the lungs", "C0024109"),
        ("a normal cardiac silhouette and mediastinum", "C0018787 C0025066"),
    ),
    "chest lateral": (
        ("clear lungs behind the heart", "C0024109 C0018787"),
        ("a normal thoracic spine and diaphragm", "C0039987 C0011980"),
    ),
    "brain mri t1": (
        ("normal lateral ventricles and cerebrum", "C0152279 C0242202"),
        ("no enhancing lesion", ""),
    ),
    "brain mri t2": (
        ("normal cerebral ventricles", "C0007799"),
        ("no abnormality of the frontal lobes", "C0016733"),
    ),
    "head ct axial": (
        ("no haemorrhage and normal ventricles", "C0007799"),
        ("a normal brain and skull", "C0006104 C0037303"),
    ),
    "abdomen ct liver": (
        ("a normal liver, spleen and aorta", "C0023884 C0037993 C0003483"),
        ("normal upper abdominal organs including the spleen", "C0037993"),
    ),
    "abdomen ct kidney": (
        ("normal kidneys and abdominal aorta", "C0022646 C0003484"),
        ("both kidneys enhancing normally", "C0022646"),
    ),
    "ultrasound gallbladder": (("a normal thin-walled gallbladder", "C0016976"),),
    "ultrasound kidney": (
        ("normal corticomedullary differentiation", ""),
        ("a normal {side} kidney", SIDED["kidney"]),
    ),
    "bone hand": (("no fracture of the metacarpal bones or phalanges", "C0025526 C0223792"),),
    "mammography mlo": (("no suspicious finding", ""), ("normal fibroglandular tissue", "")),
}
